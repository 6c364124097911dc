import { expect } from 'vitest';
import { eventually } from './eventually.ts';
import type { TestClient } from './workspace.ts';

export interface Lineage {
  nodes: { id: string; kind: string; name: string; status: string | null; version: number | null }[];
  edges: {
    from: string;
    to: string;
    columns: { from: string; to: string; type: string; subtype: string }[];
  }[];
  truncated: boolean;
}

/** The lineage of a table or view; the query begins with a question mark. */
export async function lineageFor(by: Pick<TestClient, 'call'>, id: string, query = ''): Promise<Lineage> {
  const kind = id.startsWith('viw') ? 'views' : 'tables';
  const answer = await by.call('GET', `/v1/${kind}/${id}/lineage${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data;
}

/** For each step of a way, how the columns of its upper end affect those of the lower one. */
export const pathOf = ({ edges }: Lineage, ids: readonly string[]): string[][] =>
  ids.slice(1).map((to, index) =>
    edges
      .find((edge) => edge.from === ids[index] && edge.to === to)!
      .columns.map((column) => `${column.from} > ${column.to} ${column.subtype}`)
      .toSorted(),
  );

/** A file that was imported into a table. */
export async function imported(
  client: TestClient,
  {
    path,
    content,
    tableName,
    more = {},
  }: { path: string; content: string; tableName: string; more?: object },
): Promise<{ project: string; file: string; table: string }> {
  const project = (await client.call('POST', '/v1/projects', { body: { name: 'Imports' } })).body.data.id;
  const url = `/v1/projects/${project}/files`;
  const written = await client.call('PUT', `${url}/content?path=${path}`, { body: { content } });
  expect(written.status, written.text).toBe(201);
  const file = written.body.data.id;
  const table = await importInto(client, `${url}/${file}`, { table_name: tableName, ...more });
  return { project, file, table };
}

/** Imports a file once more; returns the table. */
export async function importInto(client: TestClient, file: string, body: object): Promise<string> {
  const started = await client.call('POST', `${file}/imports`, { body });
  expect(started.status, started.text).toBe(202);
  const done = await eventually(
    async () => (await client.call('GET', `/v1/table-imports/${started.body.data.id}`)).body.data,
    ({ status }) => !['queued', 'running'].includes(status),
  );
  expect(done, JSON.stringify(done.error)).toMatchObject({ status: 'succeeded' });
  return done.tableId;
}
