import { beforeAll, expect, test } from 'vitest';
import { talkIn } from '../../support/conversations.ts';
import { expectEventually } from '../../support/eventually.ts';
import { personOf } from '../../support/people.ts';
import { useWorker } from '../../support/worker.ts';
import { graphOf, node, workflowsOf } from '../../support/workflows.ts';
import { type TestClient, useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);

let client: TestClient;
let tableId: string;
let projectId: string;

const asMember = async (): Promise<TestClient & { id: string }> => {
  const { id, call } = await personOf(workspace, client, 'member');
  return { ...client, id, call };
};
const grant = (grants: object[]) => client.call('PUT', `/v1/tables/${tableId}/grants`, { body: { grants } });
const readers = (...ids: string[]) => ids.map((id) => ({ principal: 'user', id, access: 'read' }));

beforeAll(async () => {
  client = await workspace.organization();
  projectId = (await client.call('POST', '/v1/projects', { body: { name: 'Sales' } })).body.data.id;
  const made = await client.call('POST', '/v1/grid/tables', {
    body: { name: 'orders', kind: 'data', columns: [{ name: 'amount', data_type: 'INTEGER' }] },
  });
  tableId = made.body.data.tableId;
  await client.call('POST', `/v1/tables/${tableId}/rows`, {
    body: { rows: [1, 2, 3].map((id) => ({ s_id: id, amount: id })) },
  });
  await client.call('POST', `/v1/projects/${projectId}/catalog-entries`, { body: { table_id: tableId } });
});

test('a workflow reads what its owner may read, at each node', async () => {
  const [insider, outsider] = [await asMember(), await asMember()];
  await grant(readers(insider.id, outsider.id));
  const graph = graphOf([node('q', 'query', { sql: 'SELECT sum(amount) AS total FROM orders' })]);
  const made = await Promise.all(
    [insider, outsider].map(async (by) => {
      const workflows = workflowsOf(by, () => projectId);
      return { workflows, id: (await workflows.active(graph)).id };
    }),
  );
  await grant(readers(insider.id));
  const [kept, lost] = await Promise.all(made.map(({ workflows, id }) => workflows.ran(id)));
  expect(kept.status).toBe('succeeded');
  expect([lost.status, JSON.stringify(lost)]).toEqual(['failed', expect.stringContaining('orders')]);
});

test('the analyst sees what the asker may read', async () => {
  const [insider, outsider] = [await asMember(), await asMember()];
  await grant(readers(insider.id));
  const seen = await (await talkIn(insider, projectId)).ask('How many orders are there?');
  expect(JSON.stringify(seen)).toContain('3');
  expect(seen.dataVersions.map(({ tableId: id }: { tableId: string }) => id)).toEqual([tableId]);
  const hidden = await (await talkIn(outsider, projectId)).ask('How many orders are there?');
  expect(hidden.dataVersions).toEqual([]);
  expect(JSON.stringify(hidden.parts)).not.toContain(tableId);
});

test('to what runs as a person who was removed no table exists', async () => {
  const leaver = await asMember();
  await grant([{ principal: 'everyone', access: 'write' }]);
  const workflows = workflowsOf(leaver, () => projectId);
  const graph = graphOf(
    [
      node('hold', 'wait', { seconds: 1 }),
      node('q', 'query', { sql: 'SELECT sum(amount) AS total FROM orders' }),
    ],
    [['hold.done', 'q.start']],
  );
  const { id } = await workflows.active(graph);
  const run = await workflows.start(id);
  await client.call('DELETE', `/v1/members/${leaver.id}`);
  const statusOf = async () => {
    const statement = 'SELECT status FROM runs WHERE id = $1';
    return (await workspace.deps.lake.catalogPool.query(statement, [run.id])).rows[0].status;
  };
  await expectEventually(statusOf).toBe('failed');
  expect((await client.call('POST', `/v1/workflows/${id}/take-over`)).status).toBe(200);
  const shown = await workflowsOf(client, () => projectId).shown(id, run.id);
  expect(JSON.stringify(shown)).toContain('orders');
});
