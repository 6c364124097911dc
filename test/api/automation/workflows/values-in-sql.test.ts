import { createHmac } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { getQueryExecution, listQueryExecutions } from '../../../../domain/tables/query/query-executions.ts';
import { projectOf } from '../../../support/conversations.ts';
import { attachedTable } from '../../../support/runs.ts';
import { useWorker } from '../../../support/worker.ts';
import { graphOf, node, workflowsOf } from '../../../support/workflows.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);

let client: TestClient;
let project: string;
let workflows: ReturnType<typeof workflowsOf>;

beforeAll(async () => {
  client = await workspace.organization();
  project = await projectOf(client);
  workflows = workflowsOf(client, () => project);
  await attachedTable(client, project, 'wages', [{ s_id: 1, amount: 4711 }]);
});

const parameters = { x: { type: 'string', required: true } };

/** The text of a report that quotes the statement's result. */
async function said(sql: string, given: object): Promise<string> {
  const { id } = await workflows.active(
    graphOf(
      [node('read', 'query', { sql }), node('told', 'report', { title: 'T', content: '${read.rows}' })],
      [],
      {
        ...parameters,
      },
    ),
  );
  const run = await workflows.ran(id, given);
  expect(run.status, JSON.stringify(run)).toBe('succeeded');
  const [report] = run.output.reportIds;
  return (await client.call('GET', `/v1/projects/${project}/reports/${report}/content`)).text;
}

const hostile = [
  "' AS a UNION ALL SELECT amount::VARCHAR FROM wages --",
  "\\' UNION ALL SELECT 1 --",
  '$p1',
  'wages',
];

test.each(hostile)('a value is one value, whatever it holds: %s', async (x) => {
  expect(
    await said("SELECT E'a\\'b' || ${params.x} AS a, count(*)::VARCHAR AS n FROM range(3)", { x }),
  ).toContain(JSON.stringify(`a'b${x}`));
});

test('a webhook’s values are values too, and a statement that takes them for text or a table is none', async () => {
  const trigger = { type: 'webhook' };
  const draft = await workflows.draft(
    graphOf([node('read', 'query', { sql: 'SELECT ${params.x} AS a' })], [], parameters),
    { triggers: [trigger] },
  );
  await workflows.activate(draft);
  const [{ secret, config }] = draft.triggers;
  const x = "' UNION ALL SELECT amount FROM wages --";
  const text = JSON.stringify({ x });
  const at = Math.floor(Date.now() / 1_000);
  const call = (headers: Record<string, string>) =>
    workspace.call('POST', new URL(config.hookUrl).pathname, {
      raw: { text, contentType: 'application/json' },
      headers: {
        'x-webhook-timestamp': String(at),
        'x-webhook-signature': `v1=${createHmac('sha256', secret).update(`${at}.${text}`).digest('hex')}`,
        ...headers,
      },
    });
  const packed = await call({ 'content-encoding': 'gzip' });
  expect([packed.status, packed.body.code]).toEqual([400, 'unsupported_media_type']);
  const taken = await call({ 'content-encoding': 'identity' });
  expect(taken.status, taken.text).toBe(202);
  const run = await workflows.ended(draft.id, taken.body.data.runId);
  expect(run.status, JSON.stringify(run)).toBe('succeeded');

  for (const sql of [
    "SELECT E'abc'\n${params.x} AS a",
    'SELECT $é$ ${params.x} $é$',
    'SELECT * FROM ${params.x}',
  ]) {
    const { id, revision } = await workflows.draft(graphOf([node('read', 'query', { sql })], [], parameters));
    const { faults } = (await client.call('POST', `/v1/workflows/${id}/validate`)).body.data;
    expect(faults).toMatchObject([{ loc: ['body', 'graph', 'nodes', 0, 'config', 'sql'] }]);
    const body = { expected_revision: revision };
    expect((await client.call('POST', `/v1/workflows/${id}/activation`, { body })).status).toBe(422);
  }
});

test('what a workflow ran is in the history of its owner and of administrators, without its values', async () => {
  await said('SELECT ${params.x} AS seen_once', { x: 'secret-of-mine' });
  const { items } = (await client.call('GET', '/v1/query-executions?limit=200')).body;
  const own = items.find(({ sql }: { sql: string }) => sql.includes('seen_once'));
  expect(own.sql).toBe('SELECT ${params.x} AS seen_once');

  const seenBy = (id: string, admin: boolean) =>
    inOrganization(workspace.deps.db, client.organizationId, async (db) => {
      const viewer = { id, admin };
      const listed = await listQueryExecutions(db, client.organizationId, viewer, {
        after: undefined,
        limit: 200,
      });
      const shown = getQueryExecution(db, client.organizationId, { id: own.id, viewer });
      return [
        listed.some((row) => row.id === own.id),
        await shown.then(
          () => true,
          () => false,
        ),
      ];
    });
  expect(await seenBy(own.callerId, false)).toEqual([true, true]);
  expect(await seenBy('cli_somebody_else', true)).toEqual([true, true]);
  expect(await seenBy('cli_somebody_else', false)).toEqual([false, false]);

  await client.call('POST', '/v1/query-executions', { body: { sql: 'SELECT 1 AS for_all' } });
  await workspace.deps.history.written(client.organizationId);
  const listed = await inOrganization(workspace.deps.db, client.organizationId, (db) =>
    listQueryExecutions(
      db,
      client.organizationId,
      { id: 'cli_somebody_else', admin: false },
      { after: undefined, limit: 5 },
    ),
  );
  expect(listed.map(({ sql }) => sql)).toContain('SELECT 1 AS for_all');
});
