import { expect } from 'vitest';
import { eventually } from './eventually.ts';
import type { TestClient } from './workspace.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape.
type Data = any;

export const node = (id: string, type: string, config: object = {}, more: object = {}) => ({
  id,
  type,
  name: `The ${id}`,
  config,
  ...more,
});

export const graphOf = (nodes: object[], edges: [string, string][] = [], parameters: object = {}) => ({
  version: 1,
  parameters,
  nodes,
  edges: edges.map(([from, to]) => ({ from, to })),
});

/** Workflows as an API client creates and runs them. */
export function workflowsOf(client: TestClient, project: () => string) {
  const url = '/v1/workflows';

  async function activate(workflow: Data, change: object = {}): Promise<Data> {
    const answer = await client.call('POST', `${url}/${workflow.id}/activation`, {
      body: { expected_revision: workflow.revision, ...change },
    });
    expect(answer.status, answer.text).toBe(200);
    return answer.body.data;
  }

  async function draft(graph: object, change: object = {}): Promise<Data> {
    const answer = await client.call('POST', url, {
      body: { project_id: project(), title: 'Sales', graph, ...change },
    });
    expect(answer.status, answer.text).toBe(201);
    return answer.body.data;
  }

  async function start(workflowId: string, params: object = {}): Promise<Data> {
    const answer = await client.call('POST', `${url}/${workflowId}/runs`, { body: { params } });
    expect(answer.status, answer.text).toBe(202);
    return answer.body.data;
  }

  const shown = async (workflowId: string, runId: string) =>
    (await client.call('GET', `${url}/${workflowId}/runs/${runId}`)).body.data;

  const until = (workflowId: string, runId: string, isSo: (run: Data) => boolean): Promise<Data> =>
    eventually(() => shown(workflowId, runId), isSo);

  const ended = (workflowId: string, runId: string): Promise<Data> =>
    until(workflowId, runId, ({ finishedAt }) => finishedAt !== null);

  return {
    draft,
    activate,
    start,
    shown,
    until,
    ended,
    active: async (graph: object, change: object = {}) => activate(await draft(graph, change)),
    ran: async (workflowId: string, params: object = {}) =>
      ended(workflowId, (await start(workflowId, params)).id),
  };
}

/** How each node ended, by its id. */
export const steps = (run: Data): Record<string, string> =>
  Object.fromEntries(run.steps.map(({ id, status }: Data) => [id, status]));
