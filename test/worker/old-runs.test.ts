import { expect, test } from 'vitest';
import { readRows } from '../../domain/tables/stored-results/stored-results.ts';
import { fileSteps } from '../../domain/workspace/files/reconcile.ts';
import { runSteps } from '../../domain/workspace/runs/reconcile.ts';
import { projectOf } from '../support/conversations.ts';
import { reconcile } from '../support/reconcile.ts';
import { useWorker } from '../support/worker.ts';
import { graphOf, node, workflowsOf } from '../support/workflows.ts';
import { useOwnWorkspace } from '../support/workspace.ts';

const workspace = useOwnWorkspace();
useWorker(workspace);

test('a run that ended 400 days ago goes with what its nodes made; a younger one stays', async () => {
  const client = await workspace.organization();
  const projectId = await projectOf(client);
  const workflows = workflowsOf(client, () => projectId);
  const drafted = await workflows.draft(graphOf([node('one', 'query', { sql: 'SELECT 1 AS a' })]));
  await workflows.activate(drafted);
  const run = async () => {
    const { id } = await workflows.start(drafted.id);
    expect((await workflows.ended(drafted.id, id)).status).toBe('succeeded');
    return id as string;
  };
  const [old, young] = [await run(), await run()];
  const { catalogPool } = workspace.deps.lake;
  const age = (id: string, days: number) =>
    catalogPool.query('UPDATE runs SET finished_at = finished_at - make_interval(days => $2) WHERE id = $1', [
      id,
      days,
    ]);
  await age(old, 401);
  await age(young, 399);
  const rowsOf = async (id: string) => {
    const { rows } = await catalogPool.query<{ key: string }>(
      `SELECT output #>> '{rows,rows,objectKey}' AS key FROM workflow_run_nodes WHERE run_id = $1`,
      [id],
    );
    return rows;
  };
  const [[kept], [lost]] = [await rowsOf(young), await rowsOf(old)];
  const isThere = ({ key }: { key: string }) =>
    readRows(workspace.deps.objects, { objectKey: key, rowCount: 1, columns: [] }).then(
      () => true,
      () => false,
    );
  expect(await isThere(lost!)).toBe(true);

  await reconcile(workspace, [...runSteps(workspace.deps), ...fileSteps(workspace.deps)]);
  const status = async (id: string) =>
    (await client.call('GET', `/v1/projects/${projectId}/runs/${id}`)).status;
  expect([await status(old), await status(young)]).toEqual([404, 200]);
  expect(await rowsOf(old)).toEqual([]);
  expect([await isThere(lost!), await isThere(kept!)]).toEqual([false, true]);
});
