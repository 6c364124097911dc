import { expect } from 'vitest';
import { eventually } from './eventually.ts';
import type { TestClient } from './workspace.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape.
type Data = any;

/** The run once it has ended. */
export async function endedRun(client: TestClient, projectId: string, id: string): Promise<Data> {
  const { body } = await eventually(
    () => client.call('GET', `/v1/projects/${projectId}/runs/${id}`),
    ({ body }) => body.data.finishedAt !== null,
  );
  return body.data;
}

/** A table with those rows, attached to the project. */
export async function attachedTable(
  client: TestClient,
  projectId: string,
  name: string,
  rows: readonly Record<string, unknown>[],
): Promise<string> {
  const columns = Object.keys(rows[0]!)
    .filter((column) => column !== 's_id')
    .map((column) => ({ name: column }));
  const made = await client.call('POST', '/v1/grid/tables', { body: { name, kind: 'data', columns } });
  const { tableId } = made.body.data;
  const written = await client.call('POST', `/v1/tables/${tableId}/rows`, { body: { rows } });
  expect(written.status, written.text).toBe(200);
  const entries = `/v1/projects/${projectId}/catalog-entries`;
  expect((await client.call('POST', entries, { body: { table_id: tableId } })).status).toBe(201);
  return tableId;
}
