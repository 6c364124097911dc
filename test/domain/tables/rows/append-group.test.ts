import { expect, test } from 'vitest';
import { AppError } from '../../../../data/errors.ts';
import { flushTable } from '../../../../domain/tables/lake-maintenance/flush.ts';
import { useOrganization, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
const client = useOrganization(workspace);

test('rows that come again while they are written are told as taken only when they are there', async () => {
  const made = await client.call('POST', '/v1/grid/tables', {
    body: {
      ...{ name: 'orders', kind: 'data', columns: [{ name: 'amount', data_type: 'INTEGER' }] },
      // An engine compares keys, so that it can be away.
      ...{ key_columns: ['amount'], key_enforced: true },
    },
  });
  const { tableId } = made.body.data;
  const rows = (id: number) => ({ body: { rows: [{ s_id: id, amount: id }] } });
  const append = (id: number) => client.call('POST', `/v1/tables/${tableId}/rows`, rows(id));
  const { engine, locks } = workspace.deps.lake;
  const { use } = engine;
  /** Three requests, of which the last two share a commit; the last repeats the second. */
  async function together(id: number, isUnavailable: boolean) {
    let uses = 0;
    engine.use = (...given) => {
      uses += 1;
      if (isUnavailable && uses > 1) throw new AppError('storage_unavailable', 'The store is away.');
      return use(...given);
    };
    let answers: Promise<{ status: number; body: { code?: string } }>[] = [];
    await locks.hold(tableId, async () => {
      answers = [append(id)];
      await new Promise((resolve) => setTimeout(resolve, 200));
      answers.push(append(id + 1), append(id + 1));
      await new Promise((resolve) => setTimeout(resolve, 200));
    });
    const settled = await Promise.all(answers);
    engine.use = use;
    return settled.map(({ status, body }) => (status === 200 ? 'written' : body.code)).sort();
  }
  expect(await together(1, false)).toEqual(['duplicate_row_id', 'written', 'written']);
  expect(await together(11, true)).toEqual(['storage_unavailable', 'storage_unavailable', 'written']);
  const found = await client.call('POST', '/v1/query-executions', {
    body: { sql: 'SELECT s_id FROM orders ORDER BY s_id' },
  });
  expect(found.body.data.rows).toEqual([{ sId: 1 }, { sId: 2 }, { sId: 11 }]);
  expect((await append(12)).status).toBe(200);
});

test('of requests that share a commit each is refused whose rows are there, in files or in the catalog', async () => {
  const client = await workspace.organization();
  const made = await client.call('POST', '/v1/grid/tables', {
    body: { name: 'orders', kind: 'data', columns: [{ name: 'amount' }] },
  });
  const { tableId } = made.body.data;
  const append = (...ids: number[]) =>
    client.call('POST', `/v1/tables/${tableId}/rows`, {
      body: { rows: ids.map((id) => ({ s_id: id, amount: id })) },
    });
  const { lake: deps } = workspace.deps;
  const { organizationId } = client;
  expect((await append(1, 2)).status).toBe(200);
  const lake = await deps.catalog.get(organizationId);
  await flushTable(deps, lake, { organizationId, id: tableId, name: 'orders' });
  expect((await append(3, 4)).status).toBe(200);
  let answers: ReturnType<typeof append>[] = [];
  await deps.locks.hold(tableId, async () => {
    answers = [append(10)];
    await new Promise((resolve) => setTimeout(resolve, 200));
    // The third conflicts only with the second in the group, which is itself refused.
    answers.push(append(3, 4), append(1, 2), append(11), append(2, 12), append(12, 13));
    await new Promise((resolve) => setTimeout(resolve, 200));
  });
  const codes = (await Promise.all(answers)).map(({ status, body }) => body.code ?? status);
  const taken = 'duplicate_row_id';
  expect(codes).toEqual([200, taken, taken, 200, taken, 200]);
  const found = await client.call('POST', '/v1/query-executions', {
    body: { sql: 'SELECT list(s_id ORDER BY s_id) AS ids FROM orders', row_format: 'rows' },
  });
  expect(found.body.data.rows).toEqual([{ ids: [1, 2, 3, 4, 10, 11, 12, 13] }]);
});

test('what changes about a table between two commits of a busy queue holds for the second', async () => {
  const made = await client.call('POST', '/v1/grid/tables', {
    body: {
      ...{ name: 'readings', kind: 'data', columns: [{ name: 'a', data_type: 'INTEGER' }] },
      ...{ key_columns: ['a'], key_enforced: false },
    },
  });
  const { tableId } = made.body.data;
  let next = 0;
  const append = (row: object) => {
    next += 1;
    return client.call('POST', `/v1/tables/${tableId}/rows`, { body: { rows: [{ s_id: next, ...row }] } });
  };
  /** Beside other appends, so that the queue knows the table as it was before. */
  async function meanwhile(change: () => Promise<unknown>, rows: object[]) {
    let isOver = false;
    const busy = [1, 2].map(async () => {
      while (!isOver) await append({ a: 1_000_000 + next });
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    await change();
    const answers = await Promise.all(rows.map(append));
    isOver = true;
    await Promise.all(busy);
    return answers.map(({ status, body }) => body.code ?? status);
  }
  const column = (name: string) => () =>
    client.call('POST', `/v1/grid/tables/${tableId}/columns`, { body: { name, data_type: 'STRING' } });
  expect(await meanwhile(column('b'), [{ a: 1, b: 'there' }, { a: 2 }])).toEqual([200, 200]);
  const rename = () => client.call('PATCH', `/v1/grid/tables/${tableId}/columns/b`, { body: { name: 'c' } });
  expect(await meanwhile(rename, [{ a: 3, c: 'there' }])).toEqual([200]);
  expect(await meanwhile(rename, [{ a: 4, b: 'gone' }])).toEqual([422]);
  const enforce = () => client.call('PATCH', `/v1/grid/tables/${tableId}`, { body: { key_enforced: true } });
  expect(await meanwhile(enforce, [{ a: 1 }, { a: 5 }])).toEqual(['duplicate_row_key', 200]);
  const drop = () => client.call('DELETE', `/v1/tables/${tableId}?confirm=true`);
  expect(await meanwhile(drop, [{ a: 6 }])).toEqual(['not_found']);
});
