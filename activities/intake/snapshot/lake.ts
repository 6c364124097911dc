import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { inOrganization } from '../../../data/postgres/client.ts';
import { commitSnapshot } from '../../../domain/intake/datasets/commit.ts';
import {
  discardSnapshot,
  giveUpSnapshot,
  recordSnapshotFailure,
  stageSnapshot,
} from '../../../domain/intake/datasets/run.ts';
import {
  type CopyProgress,
  getSnapshotRun,
  reportSnapshotProgress,
  type SnapshotRun,
} from '../../../domain/intake/datasets/snapshot-runs.ts';
import { wakeQueued } from '../../../domain/intake/datasets/turns.ts';
import type { SnapshotInput, SnapshotLakeActivities } from '../../../workflows/intake/snapshot/contract.ts';
import { stagingRetry } from '../../../workflows/intake/snapshot/names.ts';
import type { ActivityDeps } from '../../deps.ts';
import { beating, committing, withProgress } from '../../heartbeats.ts';
import { outcomeOf } from './control.ts';

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
        if (row.status !== 'running') return outcomeOf(row);
        await commitSnapshot(deps, row).catch((error: unknown) => recordFailure(row, error));
        return outcomeOf(await read(input));
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
