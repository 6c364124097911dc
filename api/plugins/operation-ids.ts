/** Names where method and path would not describe the route. */
const named: Readonly<Record<string, string>> = {
  'GET /healthz': 'getLiveness',
  'GET /readyz': 'getReadiness',
  'GET /.well-known/oauth-authorization-server': 'getAuthorizationServer',
  'GET /.well-known/oauth-protected-resource': 'getProtectedResource',
  'GET /.well-known/oauth-protected-resource/mcp': 'getMcpResource',
  'POST /mcp': 'callMcp',
  'POST /v1/auth/m2m/token': 'exchangeClientCredentials',
  'POST /v1/auth/token': 'getTokens',
  'POST /v1/auth/revoke': 'revokeToken',
  'POST /v1/auth/register': 'registerPublicClient',
  'POST /v1/auth/logout': 'logout',
  'POST /v1/auth/device/code': 'beginDeviceLogin',
  'POST /v1/auth/device/token': 'redeemDeviceLogin',
  'GET /v1/auth/sessions': 'listSessions',
  'DELETE /v1/auth/sessions/:session_id': 'endSession',
  'GET /v1/auth/m2m/clients': 'listApiClients',
  'POST /v1/auth/m2m/clients': 'issueApiClient',
  'GET /v1/auth/m2m/clients/:client_id': 'getApiClient',
  'DELETE /v1/auth/m2m/clients/:client_id': 'revokeApiClient',
  'POST /v1/auth/m2m/clients/:client_id/secret': 'replaceApiClientSecret',
  'PUT /v1/projects/:project_id/files/content': 'writeFile',
  'POST /v1/projects/:project_id/files/:file_id/imports': 'importFile',
  'POST /v1/assets/:asset_id/previews': 'previewAsset',
  'GET /v1/tables/catalog': 'listTableCatalogs',
  'GET /v1/views/catalog': 'listViewCatalogs',
  'GET /v1/grid/tables/:table_id/status': 'getGridTableStatus',
  'POST /v1/grid/tables/:table_id/materialize': 'materializeTable',
  'POST /v1/grid/tables/:table_id/sync': 'syncTable',
  'GET /v1/grid/tables/:table_id/runs': 'listTableRuns',
  'GET /v1/grid/tables/:table_id/runs/:run_id': 'getTableRun',
  'POST /v1/grid/tables/:table_id/runs/:run_id/cancel': 'cancelTableRun',
  'GET /v1/verification-tests/definitions': 'listTestDefinitions',
  'POST /v1/verification-tests/definitions': 'createTestDefinition',
  'GET /v1/verification-tests/definitions/:definition_id': 'getTestDefinition',
  'PATCH /v1/verification-tests/definitions/:definition_id': 'updateTestDefinition',
  'DELETE /v1/verification-tests/definitions/:definition_id': 'deleteTestDefinition',
  'GET /v1/verification-tests/overlays': 'listTestOverlays',
  'POST /v1/verification-tests/overlays': 'createTestOverlay',
  'GET /v1/verification-tests/overlays/:overlay_id': 'getTestOverlay',
  'PATCH /v1/verification-tests/overlays/:overlay_id': 'updateTestOverlay',
  'DELETE /v1/verification-tests/overlays/:overlay_id': 'deleteTestOverlay',
  'POST /v1/verification-tests/effective-set/previews': 'previewTests',
  'GET /v1/verification-tests/runs': 'listVerificationRuns',
  'POST /v1/verification-tests/runs': 'runTests',
  'GET /v1/verification-tests/runs/:run_id': 'getVerificationRun',
  'POST /v1/verification-tests/runs/:run_id/cancel': 'cancelVerificationRun',
  'GET /v1/tables/:table_id/verification': 'getTableVerification',
  'POST /v1/tables/:table_id/profile/cancel': 'cancelTableProfile',
  'GET /v1/tables/:table_id/rows': 'readRows',
  'POST /v1/tables/:table_id/rows': 'appendRows',
  'PUT /v1/tables/:table_id/rows': 'upsertRows',
  'PUT /v1/tables/:table_id/ingestion-batches/:batch_id/pages/:page_number': 'stagePage',
  'DELETE /v1/tables/:table_id/ingestion-batches/:batch_id': 'abortIngestionBatch',
  'POST /v1/data-syncs/:sync_id/snapshots/:snapshot_id/pages': 'stageSnapshotPage',
  'POST /v1/tables/:table_id/quarantine/replays': 'replayQuarantine',
  'PUT /v1/data-syncs/:sync_id/generation': 'rotateDataSyncGeneration',
  'GET /v1/lake/credentials': 'listLakeCredentials',
  'POST /v1/lake/credentials': 'issueLakeCredential',
  'GET /v1/lake/credentials/:credential_id': 'getLakeCredential',
  'DELETE /v1/lake/credentials/:credential_id': 'revokeLakeCredential',
  'POST /v1/query-executions': 'runQuery',
  'POST /v1/projects/:project_id/conversations/:chat_id/messages': 'postMessage',
  'POST /v1/projects/:project_id/conversations/:chat_id/messages/:message_id/cancel': 'cancelReply',
  'GET /v1/projects/:project_id/conversations/:chat_id/events': 'followConversation',
  'GET /v1/projects/:project_id/conversations/:chat_id/queue': 'listQueuedMessages',
  'GET /v1/projects/:project_id/conversations/:chat_id/queue/:queued_message_id': 'getQueuedMessage',
  'PATCH /v1/projects/:project_id/conversations/:chat_id/queue/:queued_message_id': 'updateQueuedMessage',
  'DELETE /v1/projects/:project_id/conversations/:chat_id/queue/:queued_message_id': 'removeQueuedMessage',
  'POST /v1/projects/:project_id/conversations/:chat_id/queue/resume': 'resumeQueue',
  'POST /v1/projects/:project_id/conversations/:chat_id/approvals/:approval_id': 'decideApproval',
  'POST /v1/projects/:project_id/playbooks/:playbook_id/runs': 'runPlaybook',
  'GET /v1/connections/app/types': 'listAppConnectionTypes',
  'GET /v1/connections/app': 'listAppConnections',
  'POST /v1/connections/app': 'createAppConnection',
  'GET /v1/connections/app/:connection_id': 'getAppConnection',
  'PATCH /v1/connections/app/:connection_id': 'updateAppConnection',
  'DELETE /v1/connections/app/:connection_id': 'deleteAppConnection',
  'POST /v1/connections/app/:connection_id/test': 'testAppConnection',
  'GET /v1/connections/app/:connection_id/tools': 'listAppTools',
  'PUT /v1/connections/app/:connection_id/tools/:tool': 'decideAppTool',
  'GET /v1/connections/data/types': 'listDataConnectionTypes',
  'GET /v1/connections/data': 'listDataConnections',
  'POST /v1/connections/data': 'createDataConnection',
  'GET /v1/connections/data/:connection_id': 'getDataConnection',
  'PATCH /v1/connections/data/:connection_id': 'updateDataConnection',
  'DELETE /v1/connections/data/:connection_id': 'deleteDataConnection',
  'POST /v1/connections/data/:connection_id/test': 'testDataConnection',
  'POST /v1/connections/data/:connection_id/resources': 'listSourceResources',
  'GET /v1/connections/data/:connection_id/snapshots': 'listConnectionSnapshots',
  'GET /v1/connections/data/:connection_id/datasets': 'listDatasets',
  'POST /v1/connections/data/:connection_id/datasets': 'createDataset',
  'GET /v1/connections/data/:connection_id/datasets/:dataset_id': 'getDataset',
  'PATCH /v1/connections/data/:connection_id/datasets/:dataset_id': 'updateDataset',
  'DELETE /v1/connections/data/:connection_id/datasets/:dataset_id': 'deleteDataset',
  'POST /v1/connections/data/:connection_id/datasets/:dataset_id/pause': 'pauseDataset',
  'POST /v1/connections/data/:connection_id/datasets/:dataset_id/resume': 'resumeDataset',
  'GET /v1/connections/data/:connection_id/datasets/:dataset_id/snapshots': 'listSnapshots',
  'POST /v1/connections/data/:connection_id/datasets/:dataset_id/snapshots': 'takeSnapshot',
  'GET /v1/connections/data/:connection_id/datasets/:dataset_id/snapshots/:run_id': 'getSnapshot',
  'POST /v1/connections/data/:connection_id/datasets/:dataset_id/snapshots/:run_id/cancel': 'cancelSnapshot',
  'POST /v1/connections/data/:connection_id/datasets/:dataset_id/snapshots/:run_id/confirm':
    'confirmSnapshot',
  'GET /v1/workflows/:workflow_id/deliveries': 'listWorkflowDeliveries',
  'GET /v1/workflows/:workflow_id/deliveries/:delivery_id': 'getWorkflowDelivery',
  'POST /v1/workflows/:workflow_id/deliveries/:delivery_id/retry': 'retryWorkflowDelivery',
  'POST /v1/workflows/:workflow_id/activation': 'activateWorkflow',
  'POST /v1/workflows/:workflow_id/runs': 'runWorkflow',
  'POST /v1/workflows/:workflow_id/runs/:run_id/cancel': 'cancelWorkflowRun',
  'POST /v1/workflows/:workflow_id/runs/:run_id/resume': 'resumeWorkflowRun',
  'GET /v1/workflows/:workflow_id/runs/:run_id/approvals': 'listWorkflowApprovals',
  'POST /v1/workflows/:workflow_id/runs/:run_id/approvals/:approval_id': 'decideWorkflowApproval',
  'POST /v1/workflows/:workflow_id/triggers/:trigger_id/secret': 'rotateTriggerSecret',
  'POST /v1/members/:user_id/password-reset': 'resetMemberPassword',
  'POST /v1/schedules/:schedule_id/take-over': 'takeOverSchedule',
  'POST /v1/workflows/:workflow_id/take-over': 'takeOverWorkflow',
  'POST /v1/hooks/:token': 'callHook',
  'POST /v1/lake-maintenance/runs': 'runLakeMaintenance',
};

/** Parts of a path that need the name of what they belong to. */
const dependent = new Set([
  'grants',
  'catalog',
  'checkpoint',
  'columns',
  'content',
  'generation',
  'lineage',
  'pages',
  'profile',
  'runs',
  'status',
  'versions',
]);

/**
 * The operation's name in the document, from which clients derive method names: `createProject`, `listFiles`,
 * `getTableCatalog`, `cancelTableImport`.
 */
export function operationId(method: string, url: string): string {
  const own = named[`${method} ${url}`];
  if (own !== undefined) return own;
  const parts = url.split('/').filter((part) => part !== '' && part !== 'v1');
  const isItem = parts.at(-1)?.startsWith(':') === true;
  const nouns = nounsOf(parts);
  const last = nouns.at(-1) ?? ['root'];
  const word = last.at(-1)!;
  const isList = !isItem && isPlural(word);
  if (method === 'POST' && !isList && !isItem) return camelCase([word, ...singular(nouns.at(-2) ?? [])]);
  const owner = last.length === 1 && dependent.has(word) ? singular(nouns.at(-2) ?? []) : [];
  const verb = {
    GET: isList ? 'list' : 'get',
    POST: 'create',
    PUT: 'replace',
    PATCH: 'update',
    DELETE: 'delete',
  }[method];
  const asIs = isList && method !== 'POST';
  return camelCase([
    verb ?? method.toLowerCase(),
    ...owner,
    ...(asIs ? [...singular(last.slice(0, -1)), word] : singular(last)),
  ]);
}

/** The fixed parts of a path, grouped between its parameters. */
function nounsOf(parts: readonly string[]): string[][] {
  const groups: string[][] = [[]];
  for (const part of parts) {
    if (!part.startsWith(':')) groups.at(-1)!.push(part);
    else if (groups.at(-1)!.length > 0) groups.push([]);
  }
  return groups.filter((group) => group.length > 0);
}

function isPlural(word: string): boolean {
  return word.endsWith('s') && word !== 'status';
}

function singular(words: readonly string[]): string[] {
  return words.map((word) => {
    if (!isPlural(word)) return word;
    if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
    return word.replace(/(?<=ch|sh|x|ss)es$|s$/, '');
  });
}

function camelCase(words: readonly string[]): string {
  const [first = '', ...rest] = words
    .flatMap((word) => word.split(/[^A-Za-z0-9]+/))
    .filter((word) => word !== '');
  return first + rest.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('');
}
