import { expect, test } from 'vitest';
import { exporting } from '../../../support/exports.ts';
import { useWorker } from '../../../support/worker.ts';
import { useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace({}, () => ({ BUILD_MAX_GIB: '0.1' }));
useWorker(workspace);

const formats = ['csv', 'parquet', 'xlsx'];

test.each(formats)(
  'an endless export as one %s is aborted, and nothing of it stays',
  {
    timeout: 300_000,
  },
  async (format) => {
    const client = await workspace.organization();
    const on = exporting(client);
    // A file that is being written is seen in the object store only when it is complete.
    const sql =
      'SELECT hash(range) AS a, hash(range + 1) AS b, md5(CAST(range AS VARCHAR)) AS c FROM range(100_000_000_000)';
    const done = await on.exported({ sql, format });
    expect(done).toMatchObject({ status: 'failed', error: { code: 'query_too_large' } });
    const { lake, objects } = workspace.activityDeps;
    const { writer } = await lake.catalog.get(client.organizationId);
    const left = await objects.sizeOfAll(writer.dataPath.slice(`s3://${objects.settings.bucket}/`.length));
    expect(left).toBe(0);
  },
);
