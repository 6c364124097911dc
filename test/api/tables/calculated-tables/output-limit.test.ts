import { beforeAll, expect, test } from 'vitest';
import { shaping } from '../../../support/calculated.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useOwnWorkspace } from '../../../support/workspace.ts';

const workspace = useOwnWorkspace({}, () => ({ BUILD_MAX_GIB: '0.01' }));
useWorker(workspace);
let client: TestClient;
let on: ReturnType<typeof shaping>;

beforeAll(async () => {
  client = await workspace.organization();
  on = shaping(client);
});

test('a build that writes more than it may is aborted, and its files are removed', async () => {
  const source = await on.data('numbers', { n: 'INTEGER' });
  await on.append(source, [{ s_id: 1, n: 1 }]);
  // It would write for as long as a build may take.
  const endless = await on.calc(
    'endless',
    'SELECT n, hash(range) AS a, hash(range + 1) AS b FROM numbers, range(100_000_000_000)',
  );
  // This one ends before anybody looks.
  const large = await on.calc('large', 'SELECT n, hash(range) AS a FROM numbers, range(2_000_000)');
  const small = await on.calc('small', 'SELECT n, hash(range) AS a FROM numbers, range(1_000)');
  for (const id of [endless, large]) {
    const run = await on.materialized(id);
    expect(run).toMatchObject({ status: 'failed', error: { code: 'query_too_large' } });
    expect((await on.status(id)).error).toMatchObject({
      code: 'query_too_large',
      message: expect.stringContaining('larger than 0.01 GiB'),
    });
  }
  expect(await on.materialized(small)).toMatchObject({ status: 'succeeded', output: { rowCount: 1_000 } });
  const { lake, objects } = workspace.activityDeps;
  const { writer } = await lake.catalog.get(client.organizationId);
  const left = await objects.sizeOfAll(writer.dataPath.slice(`s3://${objects.settings.bucket}/`.length));
  expect(left).toBeLessThan(100_000);
});
