import { z } from 'zod';
import { runKindNames } from '../../../domain/workspace/runs/kinds.ts';
import { runStates } from '../../../domain/workspace/runs/runs.ts';
import { runStatuses } from '../../workspace/runs/schemas.ts';
import { path } from '../inside.ts';
import { defineTool, fields, type ToolCall } from '../tool.ts';
import { waitFor } from '../wait.ts';

export interface Run {
  id: string;
  projectId: string | null;
  status: (typeof runStatuses)[number];
  title: string;
  progress: number;
  steps: { name: string; status: string }[];
  error: unknown;
}

const hasEnded = ({ status }: Run): boolean => runStates.isEnd(status);

function progressOf({ status, title, progress, steps }: Run) {
  const step = steps.findLast((one) => one.status === 'running');
  const message = step === undefined ? `${title}: ${status}` : `${title}: ${step.name}`;
  return { done: progress, total: 1, message };
}

/** The run as it is when it has ended, or when the time is over. `known`: as this call began it. */
export async function followRun(
  call: ToolCall,
  projectId: string,
  { runId, seconds, known }: { runId: string; seconds: number; known?: Run | undefined },
) {
  const at = path`/v1/projects/${projectId}/runs/${runId}`;
  const look = async () => (await call.json('GET', at)).data as Run;
  const run = await waitFor(call, { seconds, look, hasEnded, progressOf, known });
  return {
    run,
    ...(hasEnded(run) ? {} : { detail: 'The run is still in progress. Wait for it with get_run.' }),
  };
}

const runId = z
  .string()
  .min(1)
  .max(255)
  .describe('The id of a run, from list_runs or from an answer that started a run.');

export const listRuns = defineTool({
  name: 'list_runs',
  title: 'List runs',
  description:
    'Lists the runs of a project, newest first: imports, exports, reports, playbooks, workflows and more.',
  scope: 'agent:read',
  input: z.strictObject({
    project_id: fields.projectId,
    kind: z.enum(runKindNames).optional(),
    status: z.enum(runStatuses).optional(),
    limit: fields.limit(50, 20),
    cursor: fields.cursor,
  }),
  async run({ project_id: projectId, kind, status, limit, cursor }, { json }) {
    const query = { kind, status, limit, cursor };
    const { items, nextCursor } = await json('GET', path`/v1/projects/${projectId}/runs`, { query });
    // Steps may be many; get_run has them.
    const runs = (items as Run[]).map(({ steps, ...run }) => ({ ...run, stepCount: steps.length }));
    return { data: { runs, nextCursor } };
  },
});

export const getRun = defineTool({
  name: 'get_run',
  title: 'Show a run',
  description: 'Returns a run with its steps, its output or its error. Can wait for its end.',
  scope: 'agent:read',
  input: z.strictObject({
    project_id: fields.projectId,
    run_id: runId,
    wait_seconds: fields.waitSeconds(0),
  }),
  run: async ({ project_id: projectId, run_id: id, wait_seconds: waitSeconds }, call) => ({
    data: await followRun(call, projectId, { runId: id, seconds: waitSeconds }),
  }),
});

export const cancelRun = defineTool({
  name: 'cancel_run',
  title: 'Cancel a run',
  description: "Cancels a run that is in progress. A run that has ended doesn't change.",
  scope: 'agent:write',
  destructive: true,
  input: z.strictObject({ project_id: fields.projectId, run_id: runId }),
  async run({ project_id: projectId, run_id: id }, { json }) {
    const at = path`/v1/projects/${projectId}/runs/${id}/cancel`;
    return { data: { run: (await json('POST', at, { query: { confirm: true } })).data } };
  },
});
