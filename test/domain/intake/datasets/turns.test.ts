import { expect, test } from 'vitest';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { beginSnapshot } from '../../../../domain/intake/datasets/lifecycle.ts';
import {
  getSnapshotRun,
  lockSnapshot,
  reportSnapshotProgress,
  updateSnapshotRun,
} from '../../../../domain/intake/datasets/snapshot-runs.ts';
import { resumeTurn } from '../../../../domain/intake/datasets/turns.ts';
import { tableStates } from '../../../../domain/tables/tables/registry.ts';
import { attach, startSnapshot } from '../../../support/snapshots.ts';
import { useSourceDatabase } from '../../../support/source-database.ts';
import { useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
const source = useSourceDatabase();

test('two snapshots of a connection copy at once; what is staged lets another begin, and keeps its figures', async () => {
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
  // As after an earlier snapshot: the table is not deleted meanwhile.
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
  expect(deleted.text).toContain('A snapshot into this table is running');
});

test('four snapshots of an organization copy at once, and one that waited asks for its turn again', async () => {
  const client = await workspace.organization();
  const { organizationId } = client;
  const { db } = workspace.deps;
  const ids: string[] = [];
  for (let index = 0; index < 5; index += 1) {
    const { at } = await attach(client, await source.connect(client), 'shop.a');
    ids.push((await startSnapshot(client, at)).split('/').at(-1)!);
  }
  const [held, , , , last] = ids as [string, string, string, string, string];
  const begin = (runId: string) => beginSnapshot(db, { organizationId, runId });
  const rowOf = (runId: string) =>
    inOrganization(db, organizationId, (transaction) => getSnapshotRun(transaction, organizationId, runId));
  const hold = async (runId: string, waitMs: number) => {
    const row = await rowOf(runId);
    await inOrganization(db, organizationId, (transaction) =>
      lockSnapshot(transaction, row, { waitMs, waitsFor: 'source' }),
    );
  };
  const turns: string[] = [];
  for (const id of ids) turns.push(await begin(id));
  expect(turns).toEqual(['begun', 'begun', 'begun', 'begun', 'waiting']);
  await hold(held, 3_600_000);
  expect(await begin(last)).toBe('begun');
  // Its wait is over, while the others are still copying.
  await hold(held, -1);
  expect(await resumeTurn(db, await rowOf(held))).toEqual({ waitMs: 15_000 });
  expect(await rowOf(held)).toMatchObject({ waits_for: 'turn', status: 'running' });
  await hold(last, 3_600_000);
  expect(await resumeTurn(db, await rowOf(held))).toBeUndefined();
  expect(await rowOf(held)).toMatchObject({ waits_for: null, waits_until: null });
  // A snapshot that never waited keeps its place.
  expect(await resumeTurn(db, await rowOf(ids[1]!))).toBeUndefined();
});
