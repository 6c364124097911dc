import { AppError } from '../../../data/errors.ts';
import type { Lake } from '../../../data/lake/provision.ts';
import { mergeTable, rewriteTable } from '../../../domain/tables/lake-maintenance/compact.ts';
import { expireSnapshots } from '../../../domain/tables/lake-maintenance/expire.ts';
import { removeOldFiles, removeOrphans } from '../../../domain/tables/lake-maintenance/files.ts';
import { flushTable } from '../../../domain/tables/lake-maintenance/flush.ts';
import { isBusy, type MaintainedTable, nextTable } from '../../../domain/tables/lake-maintenance/tables.ts';
import { areRemovalsHeld } from '../../../domain/workspace/backups/hold.ts';
import type {
  LakeMaintenanceFigures,
  LakeMaintenanceInput,
  LakeMaintenanceLakeActivities,
  LakeMaintenancePiece,
  LakeMaintenanceStep,
} from '../../../workflows/tables/lake-maintenance/contract.ts';
import type { ActivityDeps } from '../../deps.ts';
import { withHeartbeats } from '../../heartbeats.ts';
import type { LakeMaintenanceSettings } from './control.ts';

/** An activity starts no new work after this long; the next one continues where it ended. */
const pieceMs = 60_000;
/** What a step does while a backup copies: the next run catches up. */
const nothing: LakeMaintenancePiece = { figures: {}, failures: [], next: null };
/** This many consecutive failing tables indicate a fault of the store: the piece is retried. */
const failuresInARow = 3;

export function lakeMaintenanceLakeActivities(
  deps: ActivityDeps,
  { retentionDays }: LakeMaintenanceSettings,
): LakeMaintenanceLakeActivities {
  const { lake: lakes } = deps;

  return {
    /** Safe to retry: rows moved to Parquet are no longer in the catalog, so nothing is moved twice. */
    flushLakeTables: (input, from) =>
      eachTable(deps, input, 'flush', from, async (lake, table) => {
        const flushed = await flushTable(lakes, lake, table);
        if (flushed === undefined) return {};
        const { rows: rowsFlushed, deletionsRepaired } = flushed;
        if (deletionsRepaired > 0)
          deps.logger.warn({ ...input, tableId: table.id, deletionsRepaired }, 'deleted rows had come back');
        return flushed.leftBehind
          ? { tablesSkipped: 1 }
          : { tablesFlushed: 1, rowsFlushed, deletionsRepaired };
      }),

    /** Safe to retry: each merge is one commit, which leaves less to merge. */
    compactLakeTables: (input, from) =>
      eachTable(deps, input, 'compact', from, async (lake, table) => {
        const merged = await mergeTable(lakes, lake, table);
        const rewritten = await rewriteTable(lakes, lake, table);
        return {
          filesMerged: merged.filesMerged + rewritten.filesMerged,
          filesWritten: merged.filesWritten + rewritten.filesWritten,
        };
      }),

    /** Safe to retry: a removed snapshot is no longer listed as past the retention. */
    expireLakeSnapshots: ({ organizationId }) =>
      withHeartbeats({}, {}, async () => {
        if (await areRemovalsHeld(deps.db)) return nothing;
        const lake = await lakes.catalog.get(organizationId);
        const endMs = Date.now() + pieceMs;
        let snapshotsExpired = 0;
        let hasMore = true;
        while (hasMore && Date.now() < endMs) {
          const done = await expireSnapshots(deps, lake, organizationId, retentionDays);
          snapshotsExpired += done.expired;
          hasMore = done.hasMore;
        }
        return { figures: { snapshotsExpired }, failures: [], next: hasMore ? 'more' : null };
      }),

    /** Safe to retry: a file that does not exist counts as removed. */
    removeOldLakeFiles: ({ organizationId }) =>
      withHeartbeats({}, {}, async () => {
        if (await areRemovalsHeld(deps.db)) return nothing;
        const filesRemoved = await removeOldFiles(lakes, await lakes.catalog.get(organizationId));
        return { figures: { filesRemoved }, failures: [], next: null };
      }),

    /** Safe to retry: a removed file is not listed again. */
    removeLakeOrphans: ({ organizationId }) =>
      withHeartbeats({}, {}, async () => {
        if (await areRemovalsHeld(deps.db)) return nothing;
        const orphansRemoved = await removeOrphans(deps, await lakes.catalog.get(organizationId));
        return { figures: { orphansRemoved }, failures: [], next: null };
      }),
  };
}

/**
 * Processes tables until the piece's time is used up. A failing table is reported and does not affect the
 * others.
 */
function eachTable(
  deps: ActivityDeps,
  { organizationId }: LakeMaintenanceInput,
  step: LakeMaintenanceStep,
  from: string | null,
  work: (lake: Lake, table: MaintainedTable) => Promise<Partial<LakeMaintenanceFigures>>,
): Promise<LakeMaintenancePiece> {
  return withHeartbeats({}, {}, async (_, signal) => {
    const lake = await deps.lake.catalog.get(organizationId);
    const piece: LakeMaintenancePiece = { figures: {}, failures: [], next: from };
    const endMs = Date.now() + pieceMs;
    let inARow = 0;
    while (Date.now() < endMs) {
      signal.throwIfAborted();
      const table = await nextTable(deps.lake, organizationId, piece.next);
      if (table === undefined) return { ...piece, next: null };
      try {
        add(piece.figures, await work(lake, table));
        inARow = 0;
      } catch (error) {
        if (isBusy(error)) add(piece.figures, { tablesSkipped: 1 });
        else {
          deps.logger.warn(
            { err: error, organizationId, tableId: table.id, step },
            'lake maintenance failed',
          );
          inARow += 1;
          if (inARow === failuresInARow) throw error;
          const code = error instanceof AppError ? error.code : 'internal_error';
          piece.failures.push({ step, tableId: table.id, code });
        }
      }
      piece.next = table.id;
    }
    return piece;
  });
}

function add(total: Partial<LakeMaintenanceFigures>, figures: Partial<LakeMaintenanceFigures>): void {
  for (const [name, value] of Object.entries(figures) as [keyof LakeMaintenanceFigures, number][])
    total[name] = (total[name] ?? 0) + value;
}
