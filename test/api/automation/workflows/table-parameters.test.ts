import { beforeAll, expect, test } from 'vitest';
import { projectOf } from '../../../support/conversations.ts';
import { attachedTable, endedRun } from '../../../support/runs.ts';
import { writtenPlaybook } from '../../../support/schedules.ts';
import { useWorker } from '../../../support/worker.ts';
import { graphOf, node, steps, workflowsOf } from '../../../support/workflows.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);

let client: TestClient;
let project: string;
let orders: string;
let workflows: ReturnType<typeof workflowsOf>;

const table = { t: { type: 'table', required: true } };
const idOf = async (of: TestClient, name: string): Promise<string> =>
  (await of.call('GET', '/v1/tables')).body.tables.find((one: { name: string }) => one.name === name).id;

beforeAll(async () => {
  client = await workspace.organization();
  project = await projectOf(client);
  workflows = workflowsOf(client, () => project);
  await attachedTable(client, project, 'orders', [{ s_id: 1, amount: 2 }]);
  orders = await idOf(client, 'orders');
});

test('a workflow takes a table by its id as by its name, for its statements and its playbooks', async () => {
  const book = await writtenPlaybook(client, project, { parameters: table });
  const { id } = await workflows.active(
    graphOf(
      [
        node('read', 'query', { sql: 'SELECT count(*) AS n FROM ${params.t}' }),
        node('told', 'report', { title: 'Rows', content: '${params.t} has ${read.rows}.' }),
        node('book', 'playbook', { playbook_id: book, params: { t: '${params.t}' } }),
      ],
      [],
      table,
    ),
  );
  for (const t of [orders, 'orders']) {
    const run = await workflows.ran(id, { t });
    expect(steps(run), JSON.stringify(run)).toEqual({
      read: 'succeeded',
      told: 'succeeded',
      book: 'succeeded',
    });
    const contents = await Promise.all(
      run.output.reportIds.map(
        async (report: string) =>
          (await client.call('GET', `/v1/projects/${project}/reports/${report}/content`)).text,
      ),
    );
    expect(contents).toContain('orders has 1.');
  }
});

test('nodes, triggers, defaults and playbooks take a table by its id too', async () => {
  const book = await writtenPlaybook(client, project, {
    title: 'Of ${t}',
    parameters: { t: { type: 'table', default: orders } },
  });
  const drafted = await workflows.draft(
    graphOf([node('book', 'playbook', { playbook_id: book, params: { t: orders } })], [], table),
    { triggers: [{ type: 'data_event', params: { t: orders }, config: { table_ids: [orders] } }] },
  );
  const validated = await client.call('POST', `/v1/workflows/${drafted.id}/validate`);
  expect(validated.body.data, validated.text).toMatchObject({ valid: true, faults: [] });
  const url = `/v1/projects/${project}/playbooks/${book}/runs`;
  const started = await client.call('POST', url, { body: {} });
  expect(started.status, started.text).toBe(202);
  expect((await endedRun(client, project, started.body.data.id)).title).toBe('Of orders');
});

test('the id of a table that is not attached, or of another organization, is refused as a name is', async () => {
  const other = await workspace.organization();
  await attachedTable(other, await projectOf(other), 'theirs', [{ s_id: 1 }]);
  const { id } = await workflows.active(graphOf([node('one', 'query', { sql: 'SELECT 1 AS a' })], [], table));
  for (const t of [await idOf(other, 'theirs'), 'theirs', 'tbl_1', `${orders} `]) {
    const refused = await client.call('POST', `/v1/workflows/${id}/runs`, { body: { params: { t } } });
    expect([refused.status, refused.body.detail]).toEqual([
      422,
      [
        {
          loc: ['body', 'params', 't'],
          msg: `No table with the name or id ${t} is attached to the project.`,
          type: 'value_error',
        },
      ],
    ]);
  }
});
