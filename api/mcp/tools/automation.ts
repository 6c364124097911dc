import { z } from 'zod';
import { listWorkflowsQuery } from '../../automation/workflows/schemas.ts';
import { path } from '../inside.ts';
import { defineTool, fields, mapOf } from '../tool.ts';
import { followRun } from './runs.ts';

const params = mapOf(z.unknown())
  .default({})
  .describe('The values of the parameters. A parameter without a default requires one.');
const maxInstructions = 1_000;

export const listPlaybooks = defineTool({
  name: 'list_playbooks',
  title: 'List playbooks',
  description:
    'Lists the playbooks of a project with their parameters. A playbook is a set of instructions that the analyst carries out.',
  scope: 'agent:read',
  input: z.strictObject({ project_id: fields.projectId, limit: fields.limit(50, 20), cursor: fields.cursor }),
  async run({ project_id: projectId, limit, cursor }, { json }) {
    const at = path`/v1/projects/${projectId}/playbooks`;
    const { items, nextCursor } = await json('GET', at, { query: { limit, cursor } });
    const playbooks = items.map(({ instructions, ...playbook }: { instructions: string }) => ({
      ...playbook,
      instructions: instructions.slice(0, maxInstructions),
    }));
    return { data: { playbooks, nextCursor } };
  },
});

export const runPlaybook = defineTool({
  name: 'run_playbook',
  title: 'Run a playbook',
  description:
    'Has the analyst carry out a playbook. The run continues when the call ends. Its output names the report or the file.',
  scope: 'agent:write',
  input: z.strictObject({
    project_id: fields.projectId,
    playbook_id: z.string().min(1).max(255).describe('The id of a playbook, from list_playbooks.'),
    params,
    wait_seconds: fields.waitSeconds(),
    idempotency_key: fields.idempotencyKey,
  }),
  async run(input, call) {
    const { project_id: projectId, playbook_id: id, idempotency_key: idempotencyKey } = input;
    const at = path`/v1/projects/${projectId}/playbooks/${id}/runs`;
    const body = { params: input.params };
    const { data: run } = await call.json('POST', at, { body, idempotencyKey });
    return {
      data: await followRun(call, projectId, { runId: run.id, seconds: input.wait_seconds, known: run }),
    };
  },
});

interface Workflow {
  graph: { parameters?: unknown } | null;
}

export const listWorkflows = defineTool({
  name: 'list_workflows',
  title: 'List workflows',
  description: "Lists the caller's workflows, newest first, with the parameters of a run.",
  scope: 'agent:read',
  input: z.strictObject({
    project_id: fields.projectId.optional(),
    status: listWorkflowsQuery.shape.status,
    limit: fields.limit(50, 20),
    cursor: fields.cursor,
  }),
  async run({ project_id: projectId, status, limit, cursor }, { json }) {
    const query = { project_id: projectId, status, limit, cursor };
    const { items, nextCursor } = await json('GET', '/v1/workflows', { query });
    const workflows = items.map(({ graph, steps: _, ...workflow }: Workflow & { steps: unknown }) => ({
      ...workflow,
      parameters: graph?.parameters ?? {},
    }));
    return { data: { workflows, nextCursor } };
  },
});

export const runWorkflow = defineTool({
  name: 'run_workflow',
  title: 'Run a workflow',
  description:
    'Runs the active version of a workflow. The run continues when the call ends. Its steps are the nodes of the workflow.',
  scope: 'agent:write',
  input: z.strictObject({
    workflow_id: z.string().min(1).max(255).describe('The id of a workflow, from list_workflows.'),
    params,
    wait_seconds: fields.waitSeconds(),
    idempotency_key: fields.idempotencyKey,
  }),
  async run(input, call) {
    const at = path`/v1/workflows/${input.workflow_id}/runs`;
    const { idempotency_key: idempotencyKey } = input;
    const { data: run } = await call.json('POST', at, { body: { params: input.params }, idempotencyKey });
    return {
      data: await followRun(call, run.projectId, { runId: run.id, seconds: input.wait_seconds, known: run }),
    };
  },
});
