import { expect, test } from 'vitest';
import { useWorkspace } from '../support/workspace.ts';

const workspace = useWorkspace();

test('the first rows of many tables at once change their types, and every request is answered', async () => {
  const client = await workspace.organization();
  const made = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      client.call('POST', '/v1/grid/tables', {
        body: { name: `t${index}`, kind: 'data', columns: [{ name: 'a' }, { name: 'b' }] },
      }),
    ),
  );
  const tables = made.map(({ body }) => body.data.tableId as string);
  const rows = [{ s_id: 1, a: 0.5, b: { c: [1] } }];
  const answers = await Promise.all(
    tables.map((table, index) =>
      client.call(index % 2 === 0 ? 'POST' : 'PUT', `/v1/tables/${table}/rows`, { body: { rows } }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(tables.map(() => 200));
  const read = await client.call('POST', '/v1/query-executions', {
    body: {
      sql: tables.map((_, index) => `SELECT a, b FROM t${index}`).join(' UNION ALL '),
      row_format: 'rows',
    },
  });
  expect(read.body.data.rows).toEqual(tables.map(() => ({ a: 0.5, b: { c: [1] } })));
});

test('rows with a hundred thousand keys are told their first faults, and the next request is served', async () => {
  const client = await workspace.organization();
  const made = await client.call('POST', '/v1/grid/tables', {
    body: { name: 'wide', kind: 'data', columns: [{ name: 'a' }] },
  });
  const members = Array.from({ length: 500 }, (_, index) => `"k${index}":1`).join(',');
  const text = `{"rows":[${Array(200).fill(`{"s_id":1,${members}}`).join(',')}]}`;
  const answer = await client.call('POST', `/v1/tables/${made.body.data.tableId}/rows`, {
    raw: { text, contentType: 'application/json' },
  });
  expect([answer.status, answer.body.detail.length]).toEqual([422, 20]);
  expect((await client.call('GET', '/v1/me')).status).toBe(200);
});

test('previews beyond an organization’s share are told to come again, and another one has its own', async () => {
  const [greedy, modest] = [await workspace.organization(), await workspace.organization()];
  async function file(client: typeof greedy): Promise<string> {
    const project = (await client.call('POST', '/v1/projects', { body: { name: 'p' } })).body.data.id;
    const put = await client.call('PUT', `/v1/projects/${project}/files/content?path=a.csv`, {
      body: { content: `a,b\n${'1,2\n'.repeat(1_000)}` },
    });
    return put.body.data.id as string;
  }
  const [theirs, own] = [await file(greedy), await file(modest)];
  const preview = (client: typeof greedy, id: string) =>
    client.call('POST', `/v1/assets/${id}/previews`, { body: { page_size: 1 } });
  const many = Promise.all(Array.from({ length: 20 }, () => preview(greedy, theirs)));
  expect((await preview(modest, own)).status).toBe(200);
  const statuses = (await many).map(({ status }) => status);
  expect(statuses.every((status) => status === 200 || status === 429)).toBe(true);
  expect(statuses).toContain(200);
});
