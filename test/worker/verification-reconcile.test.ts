import { expect, test } from 'vitest';
import { verificationSteps } from '../../domain/tables/verification/reconcile.ts';
import { reconcile } from '../support/reconcile.ts';
import { verifying } from '../support/verification.ts';
import { useOwnWorkspace } from '../support/workspace.ts';

/** No worker: processes stay as they were started. */
const workspace = useOwnWorkspace();

test('a run whose process was terminated is ended, and one whose process runs is left alone', async () => {
  const client = await workspace.organization();
  const on = verifying(client);
  const table = await on.data('reconciled', { a: 'INTEGER' });
  await on.define(table, 'not_null', { columns: ['a'] });
  const start = async () =>
    (await on.must('POST', '/v1/verification-tests/runs', 202, { table_ids: [table] })).id as string;
  const [terminated, running] = [await start(), await start()];
  const process = (id: string) => workspace.temporal.workflow.getHandle(`verification/${id}`);
  await process(terminated).terminate();
  await reconcile(workspace, verificationSteps(workspace.activityDeps, 0));
  const statusOf = async (id: string) =>
    (await client.call('GET', `/v1/verification-tests/runs/${id}`)).body.data.status;
  expect([await statusOf(terminated), await statusOf(running)]).toEqual(['cancelled', 'queued']);
  expect((await process(running).describe()).status.name).toBe('RUNNING');
});
