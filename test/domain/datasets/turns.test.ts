import { expect, test } from 'vitest';
import { inOrganization } from '../../../data/postgres/client.ts';
import { beginSnapshot } from '../../../domain/datasets/life.ts';
import {
  getSnapshotRun,
  reportSnapshotProgress,
  updateSnapshotRun,
} from '../../../domain/datasets/snapshot-runs.ts';
import { tableStates } from '../../../domain/tables/tables.ts';
import { attach, startSnapshot } from '../../support/snapshots.ts';
import { useSourceDatabase } from '../../support/source-database.ts';
import { useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace({}, () => ({ ALLOWED_PRIVATE_ADDRESSES: '127.0.0.0/8' }));
const source = useSourceDatabase();

test('two snapshots of an organization copy at once; what is staged lets another begin, and keeps its figures', async () => {
  const client = await workspace.organization();
  const { organizationId } = client;
  const { db } = workspace.deps;
  const connection = await source.connect(client);
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c', 'd']) {
    const { at } = await attach(client, connection, `shop.${name}`);
    ids.push((await startSnapshot(client, at)).split('/').at(-1)!);
  }
  const begin = (runId: string) => beginSnapshot(db, { organizationId, runId });
  const turns = await Promise.all(ids.map(begin));
  expect(turns.toSorted()).toEqual(['begun', 'begun', 'waiting', 'waiting']);
  const begun = ids[turns.indexOf('begun')]!;
  const waiting = ids[turns.indexOf('waiting')]!;
  expect(await begin(begun)).toBe('begun');
  await inOrganization(db, organizationId, (transaction) =>
    updateSnapshotRun(transaction, organizationId, begun, {
      staged_at: new Date(),
      rows_copied: 12,
      progress: 0.95,
    }),
  );
  expect(await begin(waiting)).toBe('begun');
  expect(await begin(ids[turns.lastIndexOf('waiting')]!)).toBe('waiting');
  const read = await inOrganization(db, organizationId, async (transaction) => {
    await reportSnapshotProgress(transaction, organizationId, begun, { fraction: 0.5, rows: 3, bytes: 4 });
    return getSnapshotRun(transaction, organizationId, begun);
  });
  expect(read).toMatchObject({ rows_copied: 12, progress: 0.95, status: 'running' });
  // As after an earlier snapshot: the table is not deleted under this one.
  await inOrganization(db, organizationId, (transaction) =>
    tableStates.move(
      transaction,
      { organization_id: organizationId, id: read.table_id },
      'creating',
      'ready',
    ),
  );
  const deleted = await client.call('DELETE', `/v1/tables/${read.table_id}?confirm=true`);
  expect(deleted.status, deleted.text).toBe(409);
  expect(deleted.text).toContain('A snapshot into this table is under way');
});
