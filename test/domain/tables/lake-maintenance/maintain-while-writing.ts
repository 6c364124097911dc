import { expect } from 'vitest';
import { mergeTable, rewriteTable } from '../../../../domain/tables/lake-maintenance/compact.ts';
import { expireSnapshots } from '../../../../domain/tables/lake-maintenance/expire.ts';
import { removeOldFiles, removeOrphans } from '../../../../domain/tables/lake-maintenance/files.ts';
import { flushTable } from '../../../../domain/tables/lake-maintenance/flush.ts';
import type { Workspace } from '../../../support/workspace.ts';
import { newTable, query, range, type useMaintainedLakes } from './lab.ts';

/** Four writers append so many rows each, one reader counts them, and maintenance never rests. */
export async function maintainWhileWriting(
  workspace: Workspace,
  maintained: ReturnType<typeof useMaintainedLakes>,
  rowsEach: number,
): Promise<{ rounds: number }> {
  const table = await newTable(workspace, [{ name: 'amount', data_type: 'INTEGER' }]);
  const { client, lake, organizationId } = table;
  let isWriting = true;
  let appended = 0;
  let rounds = 0;
  const writer = async (from: number) => {
    for (const id of range(from, from + rowsEach)) {
      await table.append([{ s_id: id, amount: 1 }]);
      appended += 1;
      // Occasionally a deletion of an older row and a new schema, the difficult cases for maintenance.
      if (id % 10 === 5) await table.upsert([{ s_id: id - 3, amount: 1 }]);
      if (id % 25 === 20) {
        const body = { name: `note_${id}`, data_type: 'STRING' };
        const added = await client.call('POST', `/v1/grid/tables/${table.id}/columns`, { body });
        expect(added.status, added.text).toBeLessThan(300);
      }
    }
  };
  const reader = async () => {
    while (isWriting) {
      const least = appended;
      const [found] = (await table.select('SELECT count(*) AS n, sum(amount) AS total FROM readings')) as [
        { n: number; total: string | null },
      ];
      expect(found.n).toBeGreaterThanOrEqual(least);
      expect(Number(found.total ?? 0)).toBe(found.n);
      const rows = await client.call('GET', `/v1/tables/${table.id}/rows?limit=10`);
      expect(rows.status, rows.text).toBe(200);
    }
  };
  const carer = async () => {
    while (isWriting) {
      await flushTable(maintained.lake, lake, table);
      await mergeTable(maintained.lake, lake, table);
      await rewriteTable(maintained.lake, lake, table);
      // Makes everything but the last hundred snapshots old enough to expire.
      await query(
        workspace,
        `UPDATE "${lake.schema}".ducklake_snapshot SET snapshot_time = snapshot_time - interval '8 days'
         WHERE snapshot_id < (SELECT max(snapshot_id) - 100 FROM "${lake.schema}".ducklake_snapshot)`,
      );
      await expireSnapshots({ db: workspace.deps.db, lake: maintained.lake }, lake, organizationId, 7);
      await removeOldFiles(maintained.lake, lake);
      await removeOrphans({ lake: maintained.lake, objects: workspace.deps.objects }, lake);
      rounds += 1;
    }
  };
  const writing = Promise.all(range(0, 4).map((part) => writer(part * 1_000))).finally(() => {
    isWriting = false;
  });
  await Promise.all([writing, reader(), carer()]);
  expect(await table.select('SELECT count(*) AS n, count(DISTINCT s_id) AS ids FROM readings')).toEqual([
    { n: 4 * rowsEach, ids: 4 * rowsEach },
  ]);
  return { rounds };
}
