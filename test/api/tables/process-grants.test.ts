import { beforeAll, expect, test } from 'vitest';
import { readEvents, talkIn } from '../../support/conversations.ts';
import { expectEventually } from '../../support/eventually.ts';
import { personOf } from '../../support/people.ts';
import { endedRun } from '../../support/runs.ts';
import { useWorker } from '../../support/worker.ts';
import { graphOf, node, workflowsOf } from '../../support/workflows.ts';
import { type TestClient, useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);

let client: TestClient;
let tableId: string;
let projectId: string;

const asMember = async (): Promise<TestClient & { id: string }> => {
  const { id, call, token } = await personOf(workspace, client, 'member');
  return { ...client, id, call, token: async () => token };
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

test('a workflow reads what its owner may read, and is paused when the owner loses a table of it', async () => {
  const [insider, outsider] = [await asMember(), await asMember()];
  await grant(readers(insider.id, outsider.id));
  const reading = graphOf([node('q', 'query', { sql: 'SELECT sum(amount) AS total FROM orders' })]);
  const other = graphOf([node('q', 'query', { sql: 'SELECT 1 AS orders_of_today' })]);
  const [kept, lost] = [insider, outsider].map((by) => workflowsOf(by, () => projectId));
  const [keptId, lostId] = [(await kept!.active(reading)).id, (await lost!.active(reading)).id];
  const { id: otherId } = await lost!.active(other);
  await grant(readers(insider.id));
  expect((await kept!.ran(keptId)).status).toBe('succeeded');
  const shown = (await outsider.call('GET', `/v1/workflows/${lostId}`)).body.data;
  expect(shown).toMatchObject({ status: 'paused', pauseReason: 'grant_lost' });
  expect((await outsider.call('GET', `/v1/workflows/${otherId}`)).body.data.status).toBe('active');
  const resumed = await outsider.call('POST', `/v1/workflows/${lostId}/resume`);
  expect(resumed.body.data.status).toBe('active');
  const ran = await lost!.ran(lostId);
  expect([ran.status, JSON.stringify(ran)]).toEqual(['failed', expect.stringContaining('orders')]);
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
  const { steps } = await workflowsOf(client, () => projectId).shown(id, run.id);
  // By its name where the run began after the removal, else by the id whose version it holds.
  expect(steps[1]).toMatchObject({
    id: 'q',
    status: 'failed',
    error: { message: expect.stringMatching(/orders|No table has this id/) },
  });
});

test('what was answered and written from a table is not shown to who may not read it any more', async () => {
  const [writer, reader] = [await asMember(), await asMember()];
  await grant(readers(writer.id, reader.id));
  const talk = await talkIn(writer, projectId);
  const idle = await talk.ask('Hello.');
  const asked = await talk.ask('How many orders are there?');
  const after = await talk.ask('Thank you.');
  const stored = await writer.call('POST', `/v1/projects/${projectId}/reports`, {
    body: { prompt: 'How many orders are there?', model: 'offline' },
  });
  const run = await endedRun(writer, projectId, stored.body.data.id);
  const report = `/v1/projects/${projectId}/reports/${run.output.reportId}`;
  const shown = async (by: TestClient, path: string) => (await by.call('GET', path)).body.data;
  const message = `${talk.url}/messages/${asked.id}`;
  const events = async (by: TestClient) =>
    JSON.stringify(
      await readEvents(workspace, by, `${talk.url}/events?after=0`, (seen) =>
        seen.some(({ event, data }) => event === 'turn.finished' && data.messageId === after.id),
      ),
    );

  expect(await shown(reader, message)).toMatchObject({
    withheld: false,
    content: expect.stringContaining('3'),
  });
  expect(await shown(reader, report)).toMatchObject({ withheld: false, dataVersions: [{ tableId }] });
  expect((await reader.call('GET', `${report}/content`)).status).toBe(200);
  expect(await events(reader)).toContain('text.delta');

  await grant(readers(writer.id));
  const hidden = { withheld: true, content: '', displayContent: '', parts: [], dataVersions: [] };
  expect(await shown(reader, message)).toMatchObject(hidden);
  const { messages } = await shown(reader, talk.url);
  expect(messages.find(({ id }: { id: string }) => id === asked.id)).toMatchObject(hidden);
  // What read no table stays.
  expect(messages.find(({ id }: { id: string }) => id === idle.id)).toMatchObject({ withheld: false });
  // What follows may repeat what it says.
  expect(messages.find(({ id }: { id: string }) => id === after.id)).toMatchObject(hidden);
  expect(await shown(reader, report)).toMatchObject({ withheld: true, dataVersions: [] });
  const renamed = await reader.call('PATCH', report, { body: { title: 'Orders', expected_revision: 1 } });
  expect(renamed.body.data).toMatchObject({ title: 'Orders', withheld: true, dataVersions: [] });
  const content = await reader.call('GET', `${report}/content`);
  expect([content.status, content.body.detail]).toEqual([404, expect.stringContaining('grant')]);
  expect(await events(reader)).not.toContain(asked.content);
  for (const by of [writer, client])
    expect(await shown(by, message)).toMatchObject({ withheld: false, content: asked.content });
});
