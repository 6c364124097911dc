import { expect, test } from 'vitest';
import { exporting, plannedRemovals } from '../../../support/exports.ts';
import { useWorker } from '../../../support/worker.ts';
import { useOwnWorkspace } from '../../../support/workspace.ts';

const workspace = useOwnWorkspace({}, () => ({ BUILD_MAX_GIB: '0.05' }));
useWorker(workspace);

test('an endless export is aborted, and what it wrote is removed', async () => {
  const client = await workspace.organization();
  const on = exporting(client);
  // A file that is being written is seen in the object store only when it is complete.
  const sql =
    'SELECT hash(range) AS a, hash(range + 1) AS b, hash(range + 2) AS c, hash(range + 3) AS d FROM range(100_000_000_000)';
  const done = await on.exported({ sql, format: 'ndjson' });
  expect(done).toMatchObject({ status: 'failed', error: { code: 'query_too_large' } });
  const [removal] = await plannedRemovals(workspace, client, done.id);
  expect(removal!.getTime()).toBeLessThanOrEqual(Date.now() + 600_000);
});
