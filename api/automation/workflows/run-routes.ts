import { z } from 'zod';
import { notFound } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import {
  decideApproval,
  getApproval,
  listApprovals,
} from '../../../domain/automation/workflows/runs/approvals.ts';
import { signalDecided } from '../../../domain/automation/workflows/runs/process.ts';
import { resumeWorkflowRun } from '../../../domain/automation/workflows/runs/resume.ts';
import { startWorkflowRun } from '../../../domain/automation/workflows/runs/start.ts';
import { listWorkflowRuns, runOfWorkflow } from '../../../domain/automation/workflows/runs/workflow-runs.ts';
import { cancelRun } from '../../../domain/workspace/runs/cancel.ts';
import { type Caller, memoOf } from '../../caller.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { freeFormMap } from '../../free-form.ts';
import { resource } from '../../resource.ts';
import { characters, confirmQuery } from '../../schemas.ts';
import { listRunsQuery, queuedRunExample, runSchema, runView } from '../../workspace/runs/schemas.ts';
import { approvalExample, approvalSchema, approvalView } from './approval-schemas.ts';
import { loadWorkflow, workflowPath, workflowsTag } from './routes.ts';

const runPath = `${workflowPath}/runs/:run_id` as const;

const startBody = z
  .strictObject({ params: freeFormMap.default({}) })
  .default({ params: {} })
  .meta({ example: { params: {} } });

const resumeQuery = z.object({ data: z.enum(['kept', 'newest']).default('kept') });

const decisionBody = z
  .strictObject({ decision: z.enum(['allow', 'deny']), note: characters(0, 2_000).optional() })
  .meta({ example: { decision: 'allow', note: 'The figures are right.' } });

const loadRun = async (
  db: OrganizationTransaction,
  organizationId: string,
  params: Record<'workflow_id' | 'run_id', string>,
  caller: Caller,
) => {
  const { id: workflowId } = await loadWorkflow(db, organizationId, params, caller);
  return runOfWorkflow(db, organizationId, { workflowId, runId: params.run_id, callerId: caller.id });
};

const loadApproval = async (
  db: OrganizationTransaction,
  organizationId: string,
  params: Record<'workflow_id' | 'run_id' | 'approval_id', string>,
  caller: Caller,
) => {
  const run = await loadRun(db, organizationId, params, caller);
  const approval = await getApproval(db, organizationId, params.approval_id);
  if (approval.run_id !== run.id) throw notFound('The approval');
  return approval;
};

const runExample = {
  ...queuedRunExample,
  id: 'wfr_01kahz3v6dfyvb1s8m3h9q2w4x',
  kind: 'workflow' as const,
  title: 'Sales alert',
  resource: { type: 'workflow', id: 'wfl_01kahz3v6dfyvb1s8m3h9q2w4x' },
  workflowId: 'workflow-run/wfr_01kahz3v6dfyvb1s8m3h9q2w4x',
};

/** Runs of an activated workflow, which are also runs of the project, and the approvals that they request. */
export function workflowRunsRoutes(app: Routes, deps: ApiDeps): void {
  const runs = resource(app, deps, {
    tag: workflowsTag,
    path: runPath,
    schema: runSchema,
    example: runExample,
    load: loadRun,
    parent: loadWorkflow,
    view: runView,
  });
  runs.list({
    summary: 'List the runs of a workflow, newest first',
    query: listRunsQuery.omit({ kind: true }),
    rows: (db, { organizationId, params, query: { status } }, slice) =>
      listWorkflowRuns(db, organizationId, { workflowId: params.workflow_id, status }, slice),
  });
  runs.show({ summary: 'Show a run of a workflow', description: 'Every node that has started is a step.' });
  runs.create({
    summary: 'Run a workflow now',
    operationId: 'runWorkflow',
    audit: 'workflow.run',
    description:
      "Runs the active version. `params` sets the parameters of its graph and overrides those of the first enabled trigger of type `api`. If the workflow isn't active, the response is `409 conflict`.",
    body: startBody,
    status: 202,
    errors: ['conflict', 'rate_limited', 'workflows_unavailable'],
    run: async ({ organizationId, caller, params, body, newId, request }) =>
      startWorkflowRun(deps, {
        organizationId,
        runId: newId('wfr'),
        workflowId: params.workflow_id,
        params: body.params,
        at: ['body', 'params'],
        trigger: { type: 'api', id: caller.id },
        memo: memoOf(request),
      }),
  });
  runs.action('cancel', {
    summary: 'Cancel a run of a workflow',
    operationId: 'cancelWorkflowRun',
    audit: 'run.cancelled',
    description: 'Cancels everything that its nodes do. A delivery is never left half sent.',
    query: confirmQuery,
    status: [200, 202],
    run: async ({ organizationId, caller, params, transaction, reply }) => {
      const read = () => transaction((db) => loadRun(db, organizationId, params, caller));
      if (await cancelRun(deps, await read())) reply.code(202);
      return read();
    },
  });
  runs.action('resume', {
    summary: 'Resume a failed run',
    operationId: 'resumeWorkflowRun',
    audit: 'run.resumed',
    description:
      'Continues from the nodes that failed. Finished work is kept, and the run keeps its version and data. The service keeps this data for 7 days after the failure, for the 20 runs of the workflow that failed last. After that, or with `data=newest`, the run continues with the current tables.',
    status: 202,
    query: resumeQuery,
    errors: ['conflict', 'version_expired'],
    run: async ({ organizationId, params, query, request }) =>
      resumeWorkflowRun(deps, {
        organizationId,
        runId: params.run_id,
        data: query.data,
        memo: memoOf(request),
      }),
  });

  const approvals = resource(app, deps, {
    tag: workflowsTag,
    path: `${runPath}/approvals/:approval_id`,
    schema: approvalSchema,
    example: approvalExample,
    load: loadApproval,
    parent: loadRun,
    view: approvalView,
  });
  approvals.list({
    summary: 'List the approvals of a run, newest first',
    operationId: 'listWorkflowApprovals',
    rows: (db, { organizationId, params }, slice) => listApprovals(db, organizationId, params.run_id, slice),
  });
  approvals.create({
    at: `${runPath}/approvals/:approval_id`,
    exists: loadApproval,
    summary: 'Decide an approval',
    operationId: 'decideWorkflowApproval',
    audit: 'approval.decided',
    description:
      "You can decide once, before the deadline. An approval that nobody decides in time is denied, and a later `deny` doesn't change it. A denial makes its node fail.",
    body: decisionBody,
    status: 200,
    errors: ['conflict'],
    run: async ({ organizationId, caller, params, body, transaction }) => {
      const decided = await transaction(async (db) =>
        decideApproval(db, await getApproval(db, organizationId, params.approval_id, 'update'), {
          decision: body.decision,
          note: body.note ?? null,
          callerId: caller.id,
        }),
      );
      await signalDecided(deps, decided.run_id, decided.id);
      return decided;
    },
  });
}
