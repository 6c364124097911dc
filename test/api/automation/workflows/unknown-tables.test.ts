import { beforeAll, expect, test } from 'vitest';
import { projectOf } from '../../../support/conversations.ts';
import { recordPolicy } from '../../../support/replication-source.ts';
import { attachedTable } from '../../../support/runs.ts';
import { connect } from '../../../support/sources.ts';
import { graphOf, node, workflowsOf } from '../../../support/workflows.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();

let client: TestClient;
let project: string;
let workflows: ReturnType<typeof workflowsOf>;

beforeAll(async () => {
  client = await workspace.organization();
  project = await projectOf(client);
  workflows = workflowsOf(client, () => project);
  await attachedTable(client, project, 'orders', [{ s_id: 1, amount: 2 }]);
  const other = await workspace.organization();
  await attachedTable(other, await projectOf(other), 'theirs', [{ s_id: 1 }]);
});

/** What the check tells; an activation refuses the same, or takes it. */
async function faultsOf(graph: object) {
  const { id, revision } = await workflows.draft(graph);
  const { body, text } = await client.call('POST', `/v1/workflows/${id}/validate`);
  const { valid, faults } = body.data;
  expect(valid, text).toBe(faults.length === 0);
  const activation = { body: { expected_revision: revision } };
  const activated = await client.call('POST', `/v1/workflows/${id}/activation`, activation);
  if (valid) expect(activated.status, activated.text).toBe(200);
  else expect([activated.status, activated.body.detail], activated.text).toEqual([422, faults]);
  return faults;
}

const at = (index: number) => ['body', 'graph', 'nodes', index, 'config', 'sql'];
const unknownTable = (index: number, name: string) => ({
  loc: at(index),
  msg: `There is no table ${name}.`,
  type: 'unknown_table',
});
const parameters = {
  least: { type: 'number', required: true },
  source: { type: 'table', required: true },
};
const query = (sql: string) => graphOf([node('read', 'query', { sql })], [], parameters);

test.each([
  ['SELECT * FROM ordres', ['ordres']],
  ['SELECT * FROM orders JOIN "Ordres" USING (s_id) JOIN main.more USING (s_id)', ['Ordres', 'more']],
  ['SELECT (SELECT max(s_id) FROM theirs) AS n FROM orders', ['theirs']],
  ['SELECT * FROM ordres WHERE amount > ${params.least} LIMIT ${params.least}', ['ordres']],
  ['WITH ordres AS (SELECT 1 AS a) SELECT * FROM ordres', []],
  ['SELECT * FROM ORDERS AS o, lake.main.orders', []],
  ['SELECT * FROM ${params.source}', []],
  ['SELECT * FROM input', ['input']],
  ['SELECT * FROM range(3)', []],
  ['SHOW TABLES', []],
])('of %s the tables %o are unknown', async (sql, names) => {
  expect(await faultsOf(query(sql))).toEqual(names.map((name) => unknownTable(0, name)));
});

test.each([
  ['SELECT amuont FROM orders', /"amuont" not found/],
  ['SELECT o.amuont FROM orders AS o', /amuont/],
  ['SELECT amount FROM orders WHERE since > ${params.least}', /"since" not found/],
  ['SELECT no_such_function(amount) FROM orders', /doesn't exist/],
  ["SELECT amount + DATE '2026-01-01' + 'x' FROM orders", /Binder Error/],
])('%s is a fault at its place', async (sql, msg) => {
  expect(await faultsOf(query(sql))).toEqual([
    { loc: at(0), type: 'value_error', msg: expect.stringMatching(msg) },
  ]);
});

test.each([
  'SELECT sum(amount) AS total FROM orders HAVING total > ${params.least} LIMIT ${params.least}',
  'SELECT amount + ${params.least} FROM orders WHERE abs(${params.least}) < 3',
])('%s has none', async (sql) => {
  expect(await faultsOf(query(sql))).toEqual([]);
});

test('what comes in is no unknown table of a condition, and its columns are not known yet', async () => {
  const found = await faultsOf(
    graphOf(
      [
        node('rows', 'query', { sql: 'SELECT 1 AS n FROM gone' }),
        node('some', 'condition', { sql: 'SELECT n > (SELECT count(*) FROM lost) FROM input' }),
        node('any', 'condition', { sql: 'SELECT m > (SELECT count(*) FROM orders) FROM input' }),
      ],
      [
        ['rows.rows', 'some.input'],
        ['rows.rows', 'any.input'],
      ],
    ),
  );
  expect(found).toEqual([unknownTable(0, 'gone'), unknownTable(1, 'lost')]);
});

test('a table that a snapshot of the graph makes is known, before it is made', async () => {
  const config = { base_url: 'https://api.example.com', auth_type: 'none' };
  const connection = await connect(client, 'http', config, {
    snapshot_config: { enabled: true, http_replication: recordPolicy() },
  });
  const [copied, other] = await Promise.all(
    ['Copied', 'Other'].map(async (name) => {
      const body = { resource: '/records', name };
      return (await client.call('POST', `${connection}/datasets`, { body })).body.data;
    }),
  );
  const reads = (name: string, dataset: string) =>
    graphOf(
      [
        node('copy', 'snapshot', { dataset_id: dataset }),
        node('read', 'query', { sql: `SELECT any_column FROM ${name}` }),
      ],
      [['copy.done', 'read.start']],
      { d: { type: 'string', required: true } },
    );
  const names = [copied.snapshotTableName, other.snapshotTableName];
  expect(await faultsOf(reads(names[0], copied.id))).toEqual([]);
  expect(await faultsOf(reads(names[1], copied.id))).toEqual([unknownTable(1, names[1])]);
  expect(await faultsOf(reads(names[1], '${params.d}'))).toEqual([]);
});
