import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { AppError } from '../errors.ts';
import { type Database, inOrganization, type OrganizationTransaction } from '../postgres/client.ts';
import {
  findProcessStart,
  insertProcessStart,
  markStarted,
  type ProcessStart,
  takeBackProcessStart,
} from '../postgres/process-starts.ts';
import { endAllProcesses } from './end-all.ts';
import { type FailingProcess, lookForFailing } from './failing.ts';
import { refuseDeleted } from './refuse-deleted.ts';
import {
  cancelProcess,
  type ProcessSignal,
  type ProcessState,
  type Reach,
  signalProcess,
  startProcess,
  stateOfProcess,
  wakeProcess,
} from './temporal.ts';

/**
 * Operations on durable processes for code that starts, wakes, ends or inspects them. None starts for an
 * organization that is being deleted.
 */
export interface Processes {
  /**
   * Starts a process whose row and outbox entry are committed. If it certainly did not start, `undo` removes
   * the row in one transaction with the entry. If that is unknown, or an earlier request made the row and
   * there is no `undo`, both stay for the reconciler. All these failures are answered with 503.
   */
  start(
    organizationId: string,
    start: ProcessStart,
    undo: ((db: OrganizationTransaction) => Promise<unknown>) | undefined,
  ): Promise<void>;
  /**
   * Starts a process whose row exists, even if one with the same id ran and has ended. No error if it is
   * already running.
   */
  restart(start: ProcessStart): Promise<void>;
  /** Signals a process that runs as long as there is work, and starts it if it is not running. */
  wake(start: ProcessStart, signal: ProcessSignal): Promise<void>;
  /** Wakes a process. Its row already contains the request, so a lost signal only causes a delay. */
  signal(workflowId: string, signal: string, ...args: unknown[]): Promise<void>;
  /** Cancels a process; its row already says so. No effect if it is gone or has ended. */
  cancel(workflowId: string): Promise<void>;
  /** Terminates all that run for an organization, except one; returns how many it found. */
  endAll(organizationId: string, exceptWorkflowId: string): Promise<number>;
  stateOf(workflowId: string): Promise<ProcessState>;
  /** Running processes that make no progress, as far as one look shows. */
  failing(): Promise<FailingProcess[]>;
}

/** Dependencies of use cases that start, wake or end a process. */
export interface ProcessDeps {
  db: Database;
  processes: Processes;
}

export function createProcesses(db: Database, client: Client, reach: Reach = {}): Processes {
  return {
    async start(organizationId, start, undo) {
      await refuseDeleted(db, start);
      const { outcome, cause } = await startProcess(client, start, reach);
      // If the entry is gone, the request that made the row has withdrawn it, and the process finds nothing
      // to do.
      if (outcome === 'started' && (await markStarted(db, organizationId, start.workflowId))) return;
      if (outcome === 'refused' && undo !== undefined) {
        const isOurs = await inOrganization(db, organizationId, async (transaction) => {
          const isUnstarted = await takeBackProcessStart(transaction, organizationId, start.workflowId);
          if (isUnstarted) await undo(transaction);
          return isUnstarted;
        });
        // A concurrent request for the same row has started it and was answered with success.
        if (!isOurs) return;
      }
      throw workflowsUnavailable(cause);
    },
    async restart(start) {
      await refuseDeleted(db, start);
      const { outcome, cause } = await startProcess(client, start, { again: true, ...reach });
      if (outcome !== 'started') throw workflowsUnavailable(cause);
    },
    async wake(start, signal) {
      await refuseDeleted(db, start);
      const { outcome, cause } = await wakeProcess(client, start, signal, reach);
      if (outcome !== 'started') throw workflowsUnavailable(cause);
    },
    async signal(workflowId, signal, ...args) {
      if ((await signalProcess(client, workflowId, signal, args, reach)) === 'unknown')
        throw workflowsUnavailable(undefined);
    },
    async cancel(workflowId) {
      if ((await cancelProcess(client, workflowId, reach)) === 'unknown')
        throw workflowsUnavailable(undefined);
    },
    endAll: (organizationId, exceptWorkflowId) => endAllProcesses(client, organizationId, exceptWorkflowId),
    stateOf: (workflowId) => stateOfProcess(client, workflowId),
    failing: lookForFailing(client),
  };
}

export interface Recorded<Row> {
  /** The row that an earlier attempt of the same request made, if any. */
  find(db: OrganizationTransaction): Promise<Row | undefined>;
  make(db: OrganizationTransaction): Promise<Row>;
  /** Whether `make` found the row of another request instead of making one. */
  isEarlier?(row: Row): boolean;
  startOf(row: Row, db: OrganizationTransaction): ProcessStart | Promise<ProcessStart>;
  /** Removes what `make` wrote. */
  undo(db: OrganizationTransaction, row: Row): Promise<unknown>;
}

/**
 * Commits a row together with the outbox entry of its process, then starts the process. If it certainly did
 * not start, both are removed again. A repeated request finds the row and starts its process if it was not
 * started yet.
 */
export async function startRecorded<Row>(
  { db, processes }: ProcessDeps,
  organizationId: string,
  recorded: Recorded<Row>,
): Promise<{ row: Row; isNew: boolean }> {
  const { row, start, isNew } = await inOrganization(db, organizationId, async (transaction) => {
    const earlier = await recorded.find(transaction);
    const row = earlier ?? (await recorded.make(transaction));
    const start = await recorded.startOf(row, transaction);
    if (earlier !== undefined || recorded.isEarlier?.(row) === true) {
      const pending = await findProcessStart(transaction, organizationId, start.workflowId);
      return { row, start: pending, isNew: false };
    }
    // If two requests run concurrently, neither finds a row, and the second has made the first one's row.
    const isNew = await insertProcessStart(transaction, organizationId, start);
    return { row, start, isNew };
  });
  // A row of an earlier request may already be running or have ended, so only this request's own row is
  // withdrawn.
  const undo = isNew ? (transaction: OrganizationTransaction) => recorded.undo(transaction, row) : undefined;
  if (start !== undefined) await processes.start(organizationId, start, undo);
  return { row, isNew };
}

/**
 * For work whose failure only causes a delay: the row contains the request, and the worker catches up later.
 */
export async function bestEffort(
  { logger }: { logger: Pick<Logger, 'warn'> },
  workflowId: string,
  work: Promise<void>,
): Promise<void> {
  await work.catch((err: unknown) => logger.warn({ err, workflowId }, 'a process will be woken later'));
}

function workflowsUnavailable(cause: unknown): AppError {
  return new AppError('workflows_unavailable', "The workflows service didn't answer. Try again shortly.", {
    cause,
    retryAfterSeconds: 2,
  });
}
