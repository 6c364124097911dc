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

async function validated(graph: object) {
  const { id, revision } = await workflows.draft(graph);
  const { body, text } = await client.call('POST', `/v1/workflows/${id}/validate`);
  expect(body.data, text).toMatchObject({ valid: true, faults: [] });
  await workflows.activate({ id, revision });
  return body.data.warnings;
}

const at = (index: number) => ['body', 'graph', 'nodes', index, 'config', 'sql'];
const warning = (index: number, name: string) => ({
  loc: at(index),
  msg: `There is no table ${name}. A run fails unless it is made before; correct the name if it is misspelt.`,
  type: 'unknown_table',
});

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
])('of %s the tables %o are unknown, which is no fault', async (sql, names) => {
  const parameters = {
    least: { type: 'number', required: true },
    source: { type: 'table', required: true },
  };
  const found = await validated(graphOf([node('read', 'query', { sql })], [], parameters));
  expect(found).toEqual(names.map((name) => warning(0, name)));
});

test('what comes in is no unknown table of a condition, and each statement is warned of at its place', async () => {
  const found = await validated(
    graphOf(
      [
        node('rows', 'query', { sql: 'SELECT 1 AS n FROM gone' }),
        node('some', 'condition', { sql: 'SELECT n > (SELECT count(*) FROM lost) FROM input' }),
      ],
      [['rows.rows', 'some.input']],
    ),
  );
  expect(found).toEqual([warning(0, 'gone'), warning(1, 'lost')]);
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
        node('read', 'query', { sql: `SELECT * FROM ${name}` }),
      ],
      [['copy.done', 'read.start']],
      { d: { type: 'string', required: true } },
    );
  const names = [copied.snapshotTableName, other.snapshotTableName];
  expect(await validated(reads(names[0], copied.id))).toEqual([]);
  expect(await validated(reads(names[1], copied.id))).toEqual([warning(1, names[1])]);
  expect(await validated(reads(names[1], '${params.d}'))).toEqual([]);
});
