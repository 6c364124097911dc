import { operationId } from './operation-ids.ts';

/**
 * What each route that changes something is in the audit, by operation id. Null: it changes nothing, is
 * recorded by itself, or belongs to no organization until it has succeeded.
 */
const actions: Readonly<Record<string, string | null>> = {
  issueApiClient: 'client.issued',
  revokeApiClient: 'client.revoked',
  replaceApiClientSecret: 'client.secret_replaced',
  endSession: 'login.ended',
  logout: 'login.ended',
  updateMember: 'member.role_changed',
  deleteMember: 'member.removed',
  resetMemberPassword: 'member.password_reset_issued',
  createInvitation: 'invitation.created',
  deleteInvitation: 'invitation.deleted',
  materializeTable: 'table.materialized',
  syncTable: 'table.synchronized',
  cancelTableRun: 'run.cancelled',
  createView: 'view.created',
  updateView: 'view.updated',
  deleteView: 'view.deleted',
  updateViewCatalog: 'view.described',
  createTestDefinition: 'test_definition.created',
  updateTestDefinition: 'test_definition.updated',
  deleteTestDefinition: 'test_definition.deleted',
  createTestOverlay: 'test_overlay.created',
  updateTestOverlay: 'test_overlay.updated',
  deleteTestOverlay: 'test_overlay.deleted',
  previewTests: null,
  runTests: 'tests.run',
  cancelVerificationRun: 'run.cancelled',
  createProject: 'project.created',
  updateProject: 'project.updated',
  deleteProject: 'project.archived',
  createCatalogEntry: 'catalog_entry.created',
  deleteCatalogEntry: 'catalog_entry.deleted',
  createConversation: 'conversation.created',
  updateConversation: 'conversation.updated',
  deleteConversation: 'conversation.deleted',
  postMessage: 'message.posted',
  cancelReply: 'message.cancelled',
  updateQueuedMessage: 'queued_message.updated',
  removeQueuedMessage: 'queued_message.removed',
  resumeQueue: 'conversation.queue_resumed',
  decideApproval: 'approval.decided',
  createReport: 'report.created',
  updateReport: 'report.updated',
  deleteReport: 'report.deleted',
  createPlaybook: 'playbook.created',
  updatePlaybook: 'playbook.updated',
  deletePlaybook: 'playbook.deleted',
  runPlaybook: 'playbook.run',
  createSchedule: 'schedule.created',
  replaceSchedule: 'schedule.updated',
  deleteSchedule: 'schedule.deleted',
  pauseSchedule: 'schedule.paused',
  resumeSchedule: 'schedule.resumed',
  takeOverSchedule: 'schedule.taken_over',
  triggerSchedule: 'schedule.triggered',
  createBackfill: 'backfill.created',
  deleteBackfill: 'backfill.cancelled',
  createWorkflow: 'workflow.created',
  replaceWorkflow: 'workflow.updated',
  validateWorkflow: null,
  activateWorkflow: 'workflow.activated',
  pauseWorkflow: 'workflow.paused',
  resumeWorkflow: 'workflow.resumed',
  archiveWorkflow: 'workflow.archived',
  takeOverWorkflow: 'workflow.taken_over',
  runWorkflow: 'workflow.run',
  cancelWorkflowRun: 'run.cancelled',
  resumeWorkflowRun: 'run.resumed',
  decideWorkflowApproval: 'approval.decided',
  retryWorkflowDelivery: 'delivery.retried',
  rotateTriggerSecret: 'trigger.secret_replaced',
  callHook: null,
  writeFile: 'file.written',
  createFileUpload: 'upload.created',
  finalizeFileUpload: 'file.uploaded',
  deleteFile: 'file.deleted',
  previewAsset: null,
  cancelRun: 'run.cancelled',
  importFile: 'import.created',
  createTableImport: 'import.created',
  cancelTableImport: 'import.cancelled',
  deleteTable: 'table.deleted',
  updateTableCatalog: 'table.described',
  replaceTableGrants: 'table.grants_replaced',
  profileTable: 'table.profile_started',
  cancelTableProfile: 'table.profile_cancelled',
  createGridTable: 'table.created',
  updateGridTable: 'table.updated',
  createGridTableColumn: 'table.column_added',
  updateGridTableColumn: 'table.column_changed',
  deleteGridTableColumn: 'table.column_dropped',
  appendRows: 'rows.appended',
  upsertRows: 'rows.upserted',
  deleteRows: 'rows.deleted',
  createIngestionBatch: 'batch.opened',
  stagePage: 'batch.page_staged',
  completeIngestionBatch: 'batch.completed',
  abortIngestionBatch: 'batch.aborted',
  replayQuarantine: 'quarantine.replayed',
  createDataSync: 'sync.created',
  rotateDataSyncGeneration: 'sync.generation_rotated',
  stageSnapshotPage: 'batch.page_staged',
  runQuery: null,
  // Its tools are recorded as the routes that they call.
  callMcp: null,
  createExport: 'export.created',
  cancelExport: 'export.cancelled',
  createDataConnection: 'connection.created',
  updateDataConnection: 'connection.updated',
  deleteDataConnection: 'connection.deleted',
  testDataConnection: 'connection.tested',
  listSourceResources: null,
  createDataset: 'dataset.created',
  updateDataset: 'dataset.updated',
  deleteDataset: 'dataset.deleted',
  pauseDataset: 'dataset.paused',
  resumeDataset: 'dataset.resumed',
  takeSnapshot: 'snapshot.started',
  cancelSnapshot: 'snapshot.cancelled',
  confirmSnapshot: 'snapshot.confirmed',
  createAppConnection: 'connection.created',
  updateAppConnection: 'connection.updated',
  deleteAppConnection: 'connection.deleted',
  testAppConnection: 'connection.tested',
  decideAppTool: 'connection.tool_decided',
  issueLakeCredential: 'lake_credential.issued',
  revokeLakeCredential: 'lake_credential.revoked',
  runLakeMaintenance: 'lake.maintenance_started',
  createSumApp: 'app.registered',
  deleteSumApp: 'app.removed',
  getTokens: null,
  revokeToken: null,
  registerPublicClient: null,
  exchangeClientCredentials: null,
  beginDeviceLogin: null,
  redeemDeviceLogin: null,
};

/** Reads that take data out of the service whole. */
const exports: Readonly<Record<string, string>> = {
  getFileContent: 'file.exported',
  getReportContent: 'report.exported',
};

/**
 * What a route is in the audit: its action, or undefined if it is recorded only when it is refused.
 *
 * @throws Error at startup for a route that changes something and is not listed
 */
export function auditAction(method: string, url: string): string | undefined {
  const id = operationId(method, url);
  if (method === 'GET' || method === 'HEAD') return exports[id];
  const action = actions[id];
  if (action === undefined) throw new Error(`${method} ${url} (${id}) has no action in the audit.`);
  return action ?? undefined;
}

/** The action of a refusal, also of reads: `table_catalog.read`. */
export function refusedAction(method: string, url: string): string {
  const own = auditAction(method, url);
  if (own !== undefined) return own;
  const noun = operationId(method, url).replace(/^(get|list)/, '');
  return `${noun.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()}.read`;
}
