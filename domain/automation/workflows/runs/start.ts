import { AppError } from '../../../../data/errors.ts';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../../data/postgres/client.ts';
import type { ProcessDeps } from '../../../../data/processes/processes.ts';
import { checkParams, type Params } from '../../../analyst/playbooks/parameters.ts';
import { attachedTables } from '../../../tables/catalog-entries/catalog-entries.ts';
import { limits } from '../../../workspace/limits/limits.ts';
import { getOpenProject } from '../../../workspace/projects/projects.ts';
import { startRun } from '../../../workspace/runs/kind.ts';
import {
  countUnfinished,
  deleteRun,
  findRun,
  insertRun,
  moveRun,
  type Run,
} from '../../../workspace/runs/runs.ts';
import { getVersion, type WorkflowVersion } from '../definitions/versions.ts';
import { findWorkflow, type Workflow } from '../definitions/workflows.ts';
import { graphForm } from '../graphs/graph.ts';
import { parametersOf } from '../graphs/parameters.ts';
import { workflowRunProcess, workflowRuns } from './process.ts';
import { insertWorkflowRun, type WorkflowRun } from './workflow-runs.ts';

export interface WorkflowRunRequest {
  organizationId: string;
  /** Known beforehand: a repetition finds the first. */
  runId: string;
  workflowId: string;
  /** Default: the active version. */
  versionId?: string;
  /** Those of the trigger included; in a run by the API they override those of the version's trigger. */
  params: Params;
  /** The location of the params in the request, for faults. */
  at: readonly string[];
  trigger: { type: Run['trigger_type']; id: string };
  memo: Record<string, string>;
  /** The process that waits for its end, if any. */
  waitedBy?: string | undefined;
  /** Work in the same transaction as the run's rows. */
  within?: (db: OrganizationTransaction) => Promise<unknown>;
}

/**
 * Starts a run of an active workflow; its rows and the outbox entry are one commit. If Temporal is not
 * available, nothing is kept.
 *
 * @throws ValidationError at the params that do not match, AppError `conflict` if the workflow is not active
 */
export async function startWorkflowRun(deps: ProcessDeps, request: WorkflowRunRequest): Promise<Run> {
  const { organizationId, runId, memo } = request;
  const { run } = await startRun(deps, workflowRuns, {
    ...{ organizationId, runId, memo },
    make: async (db) => {
      const { row } = await insert(db, request);
      await request.within?.(db);
      return row;
    },
    undo: (db) => deleteRun(db, organizationId, runId),
  });
  return run;
}

async function insert(
  db: OrganizationTransaction,
  request: WorkflowRunRequest,
): Promise<{ row: WorkflowRun; run: Run }> {
  const { organizationId } = request;
  const workflow = await findWorkflow(db, organizationId, request.workflowId, 'share');
  const version = await versionToRun(db, workflow, request.versionId);
  const { project_id: projectId } = workflow!;
  await getOpenProject(db, organizationId, projectId);
  await refuseTooMany(db, organizationId);
  const { parameters } = graphForm.parse(version.graph);
  const tables = await attachedTables(db, organizationId, projectId);
  const given = { ...ofTrigger(request, version), ...request.params };
  const params = checkParams(parametersOf(parameters), given, { at: request.at, tables });
  return insertRows(db, request, { workflow: workflow!, version, params });
}

/** A caller names no trigger, so the version's first enabled one of the API counts; others pass their own. */
function ofTrigger({ trigger }: WorkflowRunRequest, { triggers }: WorkflowVersion): Params {
  if (trigger.type !== 'api') return {};
  return triggers.find(({ type, enabled }) => type === 'api' && enabled)?.params ?? {};
}

async function insertRows(
  db: OrganizationTransaction,
  { organizationId, runId, trigger, waitedBy }: WorkflowRunRequest,
  { workflow, version, params }: { workflow: Workflow; version: WorkflowVersion; params: Params },
): Promise<{ row: WorkflowRun; run: Run }> {
  const { project_id: projectId, owner_id: ownerId, id: workflowId } = workflow;
  const run = await insertRun(db, {
    ...{ organization_id: organizationId, id: runId, project_id: projectId, kind: 'workflow' },
    ...{ trigger_type: trigger.type, trigger_id: trigger.id, title: version.title },
    ...{ resource_type: 'workflow', resource_id: workflowId },
    workflow_id: workflowRunProcess.workflowId(runId),
    ...{ waited_by: waitedBy ?? null, owner_id: ownerId },
  });
  const row = await insertWorkflowRun(db, {
    ...{ organization_id: organizationId, id: runId, project_id: projectId, workflow_id: workflowId },
    ...{ version_id: version.id, owner_id: ownerId },
    params: JSON.stringify(params),
  });
  return { row, run };
}

/** Records a run that could not be started as failed, because its trigger has no caller to report to. */
export function keepRefusedRun(
  db: Database,
  request: WorkflowRunRequest & { versionId: string },
  error: { code: string; message: string },
): Promise<void> {
  const { organizationId, runId, workflowId, params } = request;
  return inOrganization(db, organizationId, async (transaction) => {
    const workflow = await findWorkflow(transaction, organizationId, workflowId, 'share');
    const isThere = (await findRun(transaction, organizationId, runId)) !== undefined;
    if (workflow === undefined || isThere) return;
    const version = await getVersion(transaction, workflow, request.versionId);
    const { run } = await insertRows(transaction, request, { workflow, version, params });
    await moveRun(transaction, run, 'queued', 'failed', { error: JSON.stringify(error) });
  });
}

/** A fire under way runs on the version it was recorded with; anything else needs an active workflow. */
async function versionToRun(
  db: OrganizationTransaction,
  workflow: Workflow | undefined,
  versionId: string | undefined,
): Promise<WorkflowVersion> {
  if (workflow === undefined || workflow.status === 'archived')
    throw new AppError('conflict', 'The workflow is archived and cannot run.');
  if (versionId === undefined && workflow.status !== 'active')
    throw new AppError(
      'conflict',
      workflow.status === 'paused'
        ? 'The workflow is paused. Resume it first.'
        : 'The workflow has never been activated. Activate it first.',
    );
  return getVersion(db, workflow, versionId ?? workflow.active_version_id!);
}

/** Each holds a process and a version of the data. */
const maxUnfinished = limits.workflows.unfinishedRuns.most;
/** Each start is work for Temporal, which all organizations share. */
const maxQueued = limits.workflows.queuedRuns.most;

async function refuseTooMany(db: OrganizationTransaction, organizationId: string): Promise<void> {
  const { unfinished, queued } = await countUnfinished(db, organizationId, ['workflow']);
  const most =
    queued >= maxQueued
      ? `${maxQueued} workflow runs that have not begun`
      : unfinished >= maxUnfinished
        ? `${maxUnfinished} workflow runs that have not ended`
        : undefined;
  if (most === undefined) return;
  throw new AppError(
    'rate_limited',
    `The organization already has ${most}, and cannot have more. Wait until some of them end.`,
    { retryAfterSeconds: 30 },
  );
}
