import { beforeAll, expect, test } from 'vitest';
import { constructed, installOpenLineage } from '../../../openlineage/construct.ts';
import { shaping } from '../../../support/calculated.ts';
import { imported } from '../../../support/lineage.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);
let client: TestClient;
let on: ReturnType<typeof shaping>;

beforeAll(async () => {
  client = await workspace.organization();
  on = shaping(client);
});

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape.
type Event = any;

async function eventsOf(tableId: string): Promise<Event[]> {
  const answer = await client.call('GET', `/v1/tables/${tableId}/lineage?format=openlineage`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data.events;
}

/** The import of a file, a view over it and a calculated table over that. */
async function made() {
  const content = 'city,amount\nBonn,1\nKiel,2\n';
  const { file, table } = await imported(client, { path: 'sales.csv', content, tableName: 'sales' });
  const view = await on.view('loud', 'SELECT upper(city) AS town, amount FROM sales WHERE amount > 0');
  const query = 'SELECT town, sum(amount) AS total FROM loud GROUP BY town';
  return { file, table, view, query, calc: await on.calc('by_town', query) };
}

test('each view, calculated table and import is one job event, with the columns of its output', async () => {
  const { file, table, view, query, calc } = await made();
  const events = await eventsOf(calc);
  expect(events.map(({ job }) => job.name)).toEqual([
    `calculated-tables/${calc}`,
    `views/${view}`,
    `imports/${table}`,
  ]);
  const namespace = `workspace://${client.organizationId}`;
  const [first, , last] = events;
  expect(first).toMatchObject({
    eventTime: expect.any(String),
    producer: expect.any(String),
    job: { namespace, facets: { sql: { query }, jobType: { jobType: 'CALCULATED_TABLE' } } },
    inputs: [{ namespace, name: 'lake.main.loud' }],
    outputs: [
      {
        namespace,
        name: 'lake.main.by_town',
        facets: { schema: { fields: [{ name: 'town', type: 'STRING' }, { name: 'total' }] } },
      },
    ],
  });
  const field = { namespace, name: 'lake.main.loud' };
  const fields = first.outputs[0].facets.columnLineage.fields;
  expect(fields.total.inputFields).toEqual(
    expect.arrayContaining([
      { ...field, field: 'amount', transformations: [{ type: 'DIRECT', subtype: 'AGGREGATION' }] },
      { ...field, field: 'town', transformations: [{ type: 'INDIRECT', subtype: 'GROUP_BY' }] },
    ]),
  );
  expect(fields.town.inputFields).toHaveLength(1);
  expect(fields.town.inputFields[0].transformations).toHaveLength(2);
  expect(last).toMatchObject({
    inputs: [{ namespace, name: `files/${file}/sales.csv` }],
    outputs: [{ name: 'lake.main.sales' }],
  });
  expect(last.job.facets).not.toHaveProperty('sql');
});

test("OpenLineage's own classes, made from the published schema, construct the same events", {
  timeout: 600_000,
}, async ({ skip }) => {
  const openLineage = await installOpenLineage().catch((error: Error) => error);
  if (openLineage instanceof Error) return skip(`The client is not installed: ${openLineage.message}`);
  const { body } = await client.call('GET', '/v1/tables');
  const { id } = body.tables.find(({ kind }: { kind: string }) => kind === 'calc');
  const events = await eventsOf(id);
  expect(events).toHaveLength(3);
  expect(await constructed(openLineage, events)).toEqual(events);
});
