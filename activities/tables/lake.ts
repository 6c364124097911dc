import { ApplicationFailure } from '@temporalio/common';
import { AppError } from '../../data/errors.ts';
import type { Lake } from '../../data/lake/provision.ts';
import { inOrganization } from '../../data/postgres/client.ts';
import {
  commitBuild,
  discardBuild,
  giveUpBuild,
  recordBuildFailure,
  stageBuild,
} from '../../domain/tables/calculated-tables/build.ts';
import { recordExportFailure, writeExport } from '../../domain/tables/exports/write-files.ts';
import { removeOldMetadata } from '../../domain/tables/iceberg/remove.ts';
import { mergeTable, rewriteTable } from '../../domain/tables/lake-maintenance/compact.ts';
import { expireSnapshots } from '../../domain/tables/lake-maintenance/expire.ts';
import { removeOldFiles, removeOrphans } from '../../domain/tables/lake-maintenance/files.ts';
import { flushTable } from '../../domain/tables/lake-maintenance/flush.ts';
import { isBusy, type MaintainedTable, nextTable } from '../../domain/tables/lake-maintenance/tables.ts';
import { computeProfile, type ProfileProgress } from '../../domain/tables/profiles/compute.ts';
import { keepProfile, recordFinalFailure, reportProgress } from '../../domain/tables/profiles/lifecycle.ts';
import { endOf } from '../../domain/tables/queued-runs/queued-runs.ts';
import { verifyNextTable } from '../../domain/tables/verification/verify-table.ts';
import { areRemovalsHeld } from '../../domain/workspace/backups/hold.ts';
import { findRun, runStates } from '../../domain/workspace/runs/runs.ts';
import type { ExportInput, ExportLakeActivities } from '../../workflows/tables/export/contract.ts';
import type {
  LakeMaintenanceFigures,
  LakeMaintenanceInput,
  LakeMaintenanceLakeActivities,
  LakeMaintenancePiece,
  LakeMaintenanceStep,
} from '../../workflows/tables/lake-maintenance/contract.ts';
import type {
  BuildInput,
  MaterializationLakeActivities,
} from '../../workflows/tables/materialization/contract.ts';
import type { ProfileInput, ProfileLakeActivities } from '../../workflows/tables/profile/contract.ts';
import type { VerificationLakeActivities } from '../../workflows/tables/verification/contract.ts';
import type { ActivityDeps } from '../deps.ts';
import { beating, committing, withHeartbeats, withProgress } from '../heartbeats.ts';
import { throwIfNoProcess } from '../no-process.ts';
import type { LakeMaintenanceSettings } from './control.ts';

export function exportLakeActivities(deps: ActivityDeps): ExportLakeActivities {
  const failIfFinal = async (input: ExportInput, error: unknown): Promise<never> => {
    throwIfNoProcess(error);
    if (!(await recordExportFailure(deps.db, input, error))) throw error;
    const message = error instanceof Error ? error.name : 'AppError';
    throw ApplicationFailure.create({ type: 'ExportFailed', message, nonRetryable: true });
  };

  return {
    /** Safe to retry: each attempt has its own folder, and only one is recorded. */
    writeExport: (input) =>
      withHeartbeats({}, {}, (_progress, signal) =>
        writeExport(deps, input, signal).catch((error: unknown) => {
          if (signal.aborted) throw error;
          return failIfFinal(input, error);
        }),
      ),
  };
}

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
        await removeOldMetadata(deps.objects, organizationId);
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

export function materializationLakeActivities(deps: ActivityDeps): MaterializationLakeActivities {
  /**
   * A query's failure is recorded in the build's row and final; a store that is away is waited for, and so is
   * a process, by the workflow.
   */
  const failIfFinal =
    (input: BuildInput) =>
    async (error: unknown): Promise<never> => {
      throwIfNoProcess(error);
      if (!(await recordBuildFailure(deps.db, input, error))) throw error;
      const message = error instanceof Error ? error.name : 'AppError';
      throw ApplicationFailure.create({ type: 'BuildFailed', message, nonRetryable: true });
    };

  return {
    /** Safe to retry: each attempt has its own folder, and nothing refers to staged files yet. */
    stageBuild: (input) =>
      withHeartbeats({}, {}, async (_progress, signal) => {
        const rows = await stageBuild(deps, input, signal).catch((error: unknown) => {
          if (signal.aborted) throw error;
          return failIfFinal(input)(error);
        });
        return { rows };
      }),

    /** Safe to retry: the ledger is checked for the commit's operation first. */
    commitBuild: committing(
      (input: BuildInput) => commitBuild(deps, input),
      async (input) => {
        if (await giveUpBuild(deps, input))
          throw ApplicationFailure.nonRetryable('The commit was abandoned.', 'BuildFailed');
      },
    ),

    /** Safe to retry: removes by prefix, and only what was not committed. */
    discardBuild: beating((input: BuildInput) => discardBuild(deps, input)),
  };
}

export function profileLakeActivities(deps: ActivityDeps): ProfileLakeActivities {
  const read = ({ organizationId, runId }: ProfileInput) =>
    inOrganization(deps.db, organizationId, (db) => findRun(db, organizationId, runId));

  return {
    /** Safe to retry: it only reads until the profile is kept, in one transaction with the end of its run. */
    async computeProfile(input) {
      const run = await read(input);
      if (run === undefined || runStates.isEnd(run.status)) return endOf(run);
      const first: ProfileProgress = { columnsDone: 0, columns: 0 };
      await withProgress(
        deps.logger,
        first,
        (latest) => reportProgress(deps.db, input, latest),
        async (progress: (progress: ProfileProgress) => void, signal) =>
          keepProfile(deps.db, input, await computeProfile(deps, input, { progress, signal })),
      ).catch((error: unknown) => failIfFinal(input, error));
      return endOf(await read(input));
    },
  };

  /** What another attempt would not change is recorded in the run's row and not retried. */
  async function failIfFinal(input: ProfileInput, error: unknown): Promise<never> {
    const failure = await recordFinalFailure(deps.db, input, error);
    if (failure === undefined) throw error;
    throw ApplicationFailure.create({ type: failure.code, message: failure.code, nonRetryable: true });
  }
}

export function verificationLakeActivities(deps: ActivityDeps): VerificationLakeActivities {
  return {
    /** Safe to retry: a table's results are kept once, and tables of failing rows have ids of their own. */
    verifyNextTable: (input) =>
      withHeartbeats({}, {}, (_progress, signal) =>
        verifyNextTable(deps, input, signal).catch((error: unknown) => {
          throwIfNoProcess(error);
          throw error;
        }),
      ),
  };
}

export const tablesLakeActivities = (deps: ActivityDeps, settings: LakeMaintenanceSettings) => ({
  ...exportLakeActivities(deps),
  ...lakeMaintenanceLakeActivities(deps, settings),
  ...materializationLakeActivities(deps),
  ...profileLakeActivities(deps),
  ...verificationLakeActivities(deps),
});
