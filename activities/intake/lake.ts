import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { EngineCrashLoopError } from '../../data/lake/engine/failure.ts';
import { batchPrefix } from '../../data/objects/keys.ts';
import { inOrganization } from '../../data/postgres/client.ts';
import { commitSnapshot } from '../../domain/intake/datasets/commit.ts';
import {
  discardSnapshot,
  giveUpSnapshot,
  recordSnapshotFailure,
  stageSnapshot,
} from '../../domain/intake/datasets/run.ts';
import {
  type CopyProgress,
  getSnapshotRun,
  reportSnapshotProgress,
  type SnapshotRun,
} from '../../domain/intake/datasets/snapshot-runs.ts';
import { wakeQueued } from '../../domain/intake/datasets/turns.ts';
import {
  commitImport,
  discardImport,
  giveUpImport,
  recordFinalFailure,
  stageImport,
} from '../../domain/intake/file-imports/run.ts';
import {
  getTableImport,
  reportProgress,
  type TableImport,
} from '../../domain/intake/file-imports/table-imports.ts';
import { type ApplyProgress, applyBatch } from '../../domain/intake/ingestion/apply.ts';
import { failBatch, failIfFinal, internalFailure } from '../../domain/intake/ingestion/fail.ts';
import { finishApplied } from '../../domain/intake/ingestion/finish.ts';
import { findBatch, markCleaned } from '../../domain/intake/ingestion/ingestion-batches.ts';
import { quarantineOf } from '../../domain/intake/ingestion/quarantine.ts';
import { removeUnneeded } from '../../domain/workspace/files/remove-unneeded.ts';
import type { StageProgress } from '../../packages/file-reader/index.ts';
import type {
  IngestionBatchInput,
  IngestionBatchLakeActivities,
} from '../../workflows/intake/ingestion-batch/contract.ts';
import type { SnapshotInput, SnapshotLakeActivities } from '../../workflows/intake/snapshot/contract.ts';
import { stagingRetry } from '../../workflows/intake/snapshot/names.ts';
import type {
  TableImportInput,
  TableImportLakeActivities,
} from '../../workflows/intake/table-import/contract.ts';
import type { ActivityDeps } from '../deps.ts';
import { beating, committing, withHeartbeats, withProgress } from '../heartbeats.ts';
import { importOutcome, snapshotOutcome } from './control.ts';

/** Engines also end when PostgreSQL restarts, so the limit is high enough to rule that out as the cause. */
const heartbeats = { maxEngineDeaths: 8 };

const none: ApplyProgress = { pagesRead: 0, pages: 0 };

export function ingestionBatchLakeActivities(deps: ActivityDeps): IngestionBatchLakeActivities {
  const read = ({ organizationId, batchId }: IngestionBatchInput) =>
    inOrganization(deps.db, organizationId, (db) => findBatch(db, organizationId, batchId));

  return {
    /**
     * Safe to retry: quarantined records do not change until the batch is applied, and pages are immutable.
     */
    async stageReplay(input) {
      const batch = await read(input);
      if (batch?.status !== 'open') return;
      try {
        await withHeartbeats({}, heartbeats, (_, signal) => quarantineOf(batch).stage(deps, batch, signal));
      } catch (error) {
        await failIfFinal(deps, batch, error instanceof EngineCrashLoopError ? undefined : error);
      }
    },

    /** Safe to retry: the ledger is checked first, and accepts the batch's id once. */
    async applyIngestionBatch(input) {
      const batch = await read(input);
      if (batch?.status !== 'applying') return;
      try {
        const applied = await withHeartbeats(none, heartbeats, (progress, signal) =>
          applyBatch(deps, batch, progress, signal),
        );
        await finishApplied(deps.db, batch, applied);
      } catch (error) {
        await failIfFinal(deps, batch, error instanceof EngineCrashLoopError ? undefined : error);
      }
    },

    /** Safe to retry: compare-and-set, and the ledger is authoritative. */
    giveUpIngestionBatch: beating(async (input: IngestionBatchInput) => {
      const batch = await read(input);
      if (batch?.status === 'applying' || batch?.status === 'open')
        await failBatch(deps, batch, internalFailure);
    }),

    /** Safe to retry: removes by prefix, and only objects to which no table refers. */
    cleanUpIngestionBatch: beating(async ({ organizationId, batchId }: IngestionBatchInput) => {
      await removeUnneeded(deps, organizationId, batchPrefix(organizationId, batchId));
      await inOrganization(deps.db, organizationId, (db) => markCleaned(db, organizationId, batchId));
    }),
  };
}

export function snapshotLakeActivities(deps: ActivityDeps): SnapshotLakeActivities {
  const read = ({ organizationId, runId }: SnapshotInput) =>
    inOrganization(deps.db, organizationId, (db) => getSnapshotRun(db, organizationId, runId));
  const keepProgress =
    ({ organizationId, runId }: SnapshotInput) =>
    (latest: CopyProgress) =>
      inOrganization(deps.db, organizationId, (db) =>
        reportSnapshotProgress(db, organizationId, runId, latest),
      );

  return {
    /**
     * Safe to retry: each attempt has a folder of its own, and continues from the pages that earlier ones
     * stored.
     */
    async stageSnapshot(input) {
      const row = await read(input);
      const staged = await withProgress(
        deps.logger,
        { fraction: 0, rows: 0, bytes: 0 },
        keepProgress(input),
        (progress: (progress: CopyProgress) => void, signal) => stageSnapshot(deps, row, progress, signal),
      ).catch(async (error: unknown) => {
        await recordFailure(row, error, pauseBeforeNextTry()).finally(() =>
          wakeQueued(deps, input.organizationId),
        );
        throw error;
      });
      if (staged.goesOnAfterMs !== 0) await wakeQueued(deps, input.organizationId);
      return staged;
    },

    /**
     * Safe to retry: the ledger is checked for the commit's operation first, and every later step is a
     * compare-and-set.
     */
    commitSnapshot: committing(
      async (input: SnapshotInput) => {
        const row = await read(input);
        if (row.status !== 'running') return snapshotOutcome(row);
        await commitSnapshot(deps, row).catch((error: unknown) => recordFailure(row, error));
        return snapshotOutcome(await read(input));
      },
      async (input) => giveUpSnapshot(deps, await read(input), 'failed'),
    ),

    /** Safe to retry: removes by prefix, and only what was not committed. */
    discardSnapshot: beating(async (input: SnapshotInput) => discardSnapshot(deps, await read(input))),
  };

  /**
   * The reason is stored in the snapshot's row; the history contains only the code, because a source's
   * message may contain anything.
   */
  async function recordFailure(row: SnapshotRun, error: unknown, retryMs?: number): Promise<never> {
    const recorded = await recordSnapshotFailure(deps.db, row, { error, retryMs });
    if (recorded === undefined) throw error;
    const { failure, isFinal } = recorded;
    throw ApplicationFailure.create({
      type: failure.stage === undefined ? failure.code : `${failure.code}:${failure.stage}`,
      message: failure.code,
      nonRetryable: isFinal,
    });
  }
}

/** According to the retry policy of the process; undefined after the last attempt. */
function pauseBeforeNextTry(): number | undefined {
  const { attempt } = Context.current().info;
  const { firstMs, coefficient, longestMs, tries } = stagingRetry;
  return attempt < tries ? Math.min(firstMs * coefficient ** (attempt - 1), longestMs) : undefined;
}

export function tableImportLakeActivities(deps: ActivityDeps): TableImportLakeActivities {
  const read = ({ organizationId, importId }: TableImportInput) =>
    inOrganization(deps.db, organizationId, (db) => getTableImport(db, organizationId, importId));
  const keepProgress =
    ({ organizationId, importId }: TableImportInput) =>
    (latest: StageProgress) =>
      inOrganization(deps.db, organizationId, (db) => reportProgress(db, organizationId, importId, latest));

  return {
    /**
     * Safe to retry: staging begins by removing what an earlier attempt left, and nothing refers to staged
     * files yet.
     */
    async stageTableImport(input) {
      const row = await read(input);
      const { table, quarantine } = await withProgress(
        deps.logger,
        { fraction: 0, bytesRead: 0, rows: 0 },
        keepProgress(input),
        (progress: (progress: StageProgress) => void, signal) => stageImport(deps, row, progress, signal),
      ).catch((error: unknown) => recordIfFinal(row, error));
      return { rows: table.rows, quarantinedRows: quarantine?.rows ?? 0 };
    },

    /**
     * Safe to retry: the ledger is checked for the commit's operation first, and every later step is a
     * compare-and-set.
     */
    commitTableImport: committing(
      async (input: TableImportInput) => {
        const row = await read(input);
        if (row.status !== 'running') return importOutcome(row);
        await commitImport(deps, row).catch((error: unknown) => recordIfFinal(row, error));
        return importOutcome(await read(input));
      },
      async (input) => giveUpImport(deps, await read(input), 'failed'),
    ),

    /** Safe to retry: removes by prefix, and only what was not committed. */
    discardStagedImport: beating(async (input: TableImportInput) => discardImport(deps, await read(input))),
  };

  /** An unreadable file is recorded in the import's row and not retried; all other errors are. */
  async function recordIfFinal(row: TableImport, error: unknown): Promise<never> {
    const failure = await recordFinalFailure(deps.db, row, error);
    if (failure === undefined) throw error;
    throw ApplicationFailure.create({ type: 'BadFile', message: failure.code, nonRetryable: true });
  }
}

export const intakeLakeActivities = (deps: ActivityDeps) => ({
  ...ingestionBatchLakeActivities(deps),
  ...snapshotLakeActivities(deps),
  ...tableImportLakeActivities(deps),
});
