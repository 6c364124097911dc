import { expect, test } from 'vitest';
import { failedRunsPinned } from '../../../../domain/automation/workflows/runs/workflow-runs.ts';
import { projectOf } from '../../../support/conversations.ts';
import { useWorker } from '../../../support/worker.ts';
import { graphOf, node, workflowsOf } from '../../../support/workflows.ts';
import { useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);

async function prepare(sql: string) {
  const client = await workspace.organization();
  const projectId = await projectOf(client);
  const tableIds: string[] = [];
  for (const name of ['orders', 'a "quoted" one', 'nobody reads it']) {
    const body = { name, kind: 'data', columns: [{ name: 'a', data_type: 'INTEGER' }] };
    const made = await client.call('POST', '/v1/grid/tables', { body });
    expect(made.status, made.text).toBe(201);
    tableIds.push(made.body.data.tableId);
  }
  const workflows = workflowsOf(client, () => projectId);
  const { id } = await workflows.activate(await workflows.draft(graphOf([node('one', 'query', { sql })])));
  return { client, workflows, id: id as string, tableIds };
}

const query = <T extends Record<string, unknown>>(sql: string, values: unknown[]) =>
  workspace.deps.lake.catalogPool.query<T>(sql, values);

test('a run pins and names the tables of its statements, and no other', async () => {
  const sql = 'SELECT * FROM "ORDERS" UNION ALL SELECT * FROM "a ""quoted"" one"';
  const { workflows, id, tableIds } = await prepare(sql);
  const run = await workflows.start(id);
  expect((await workflows.ended(id, run.id)).status).toBe('succeeded');
  const { rows } = await query<{ tables: string[] }>(
    `SELECT jsonb_path_query_array(data_versions, '$[*].tableId') AS tables FROM workflow_runs WHERE id = $1`,
    [run.id],
  );
  expect(rows[0]?.tables.toSorted()).toEqual(tableIds.slice(0, 2).toSorted());
});

test('what failed runs read is kept for a week, of those that failed last', async () => {
  const { client, workflows, id } = await prepare("SELECT CAST('n' || count(*) AS INTEGER) FROM orders");
  const started: string[] = [];
  for (let count = 0; count < failedRunsPinned + 2; count += 1) started.push((await workflows.start(id)).id);
  for (const run of started) expect((await workflows.ended(id, run)).status).toBe('failed');
  const { rows } = await query<{ holder: string; days: number }>(
    `SELECT holder, extract(epoch FROM expires_at - now()) / 86400 AS days FROM lake_pins
     WHERE organization_id = $1 AND holder LIKE 'workflow-run/%'`,
    [client.organizationId],
  );
  expect(new Set(rows.map(({ holder }) => holder)).size).toBe(failedRunsPinned);
  for (const { days } of rows) expect(Number(days)).toBeLessThanOrEqual(7);
});
