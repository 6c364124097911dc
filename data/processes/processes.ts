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
import { type FailingProcess, lookForFailing } from './failing.ts';
import {
  cancelProcess,
  type ProcessSignal,
  type ProcessState,
  signalProcess,
  startProcess,
  stateOfProcess,
  wakeProcess,
} from './temporal.ts';

/** Durable processes, as everything that starts, wakes, ends or looks for one needs them. */
export interface Processes {
  /**
   * Starts a process whose row and outbox entry are committed. Where it certainly did not start, `undo`
   * removes the row in one transaction with the entry; where that is unknown, or the row is an earlier
   * request's and there is no `undo`, both stay for the reconciler. All answer 503.
   */
  start(
    organizationId: string,
    start: ProcessStart,
    undo: ((db: OrganizationTransaction) => Promise<unknown>) | undefined,
  ): Promise<void>;
  /**
   * Starts one whose row is there, also where one of the same id ran and is no more. Running already is fine.
   */
  restart(start: ProcessStart): Promise<void>;
  /** Signals a process that runs for as long as there is something to do, and starts it where it does not. */
  wake(start: ProcessStart, signal: ProcessSignal): Promise<void>;
  /** Wakes a process; its row already says what is wanted, so a signal that is lost only delays. */
  signal(workflowId: string, signal: string, ...args: unknown[]): Promise<void>;
  /** Asks a process to end; its row already says so. One that is gone or has ended is left as it is. */
  cancel(workflowId: string): Promise<void>;
  stateOf(workflowId: string): Promise<ProcessState>;
  /** Those that run and do not go on, as far as one look can tell. */
  failing(): Promise<FailingProcess[]>;
}

/** What a use case that starts, wakes or ends a process needs. */
export interface ProcessDeps {
  db: Database;
  processes: Processes;
}

/**
 * A remote service stands behind names, proxies and balancers: whether its port takes connections says
 * nothing of it.
 */
export function createProcesses(db: Database, client: Client, { isRemote = false } = {}): Processes {
  return {
    async start(organizationId, start, undo) {
      const { outcome, cause } = await startProcess(client, start, { isRemote });
      // Without its entry the row was taken back by the request that made it: the process finds nothing to
      // do.
      if (outcome === 'started' && (await markStarted(db, organizationId, start.workflowId))) return;
      if (outcome === 'refused' && undo !== undefined) {
        const isOurs = await inOrganization(db, organizationId, async (transaction) => {
          const isUnstarted = await takeBackProcessStart(transaction, organizationId, start.workflowId);
          if (isUnstarted) await undo(transaction);
          return isUnstarted;
        });
        // A request for the same got it started meanwhile, and was answered so.
        if (!isOurs) return;
      }
      throw workflowsUnavailable(cause);
    },
    async restart(start) {
      const { outcome, cause } = await startProcess(client, start, { again: true, isRemote });
      if (outcome !== 'started') throw workflowsUnavailable(cause);
    },
    async wake(start, signal) {
      const { outcome, cause } = await wakeProcess(client, start, signal, { isRemote });
      if (outcome !== 'started') throw workflowsUnavailable(cause);
    },
    async signal(workflowId, signal, ...args) {
      if ((await signalProcess(client, workflowId, signal, args)) === 'unknown')
        throw workflowsUnavailable(undefined);
    },
    async cancel(workflowId) {
      if ((await cancelProcess(client, workflowId)) === 'unknown') throw workflowsUnavailable(undefined);
    },
    stateOf: (workflowId) => stateOfProcess(client, workflowId),
    failing: lookForFailing(client),
  };
}

export interface Recorded<Row> {
  /** The row that an earlier try of the same request made, if any. */
  find(db: OrganizationTransaction): Promise<Row | undefined>;
  make(db: OrganizationTransaction): Promise<Row>;
  startOf(row: Row): ProcessStart;
  /** Takes back what `make` wrote. */
  undo(db: OrganizationTransaction, row: Row): Promise<unknown>;
}

/**
 * Commits a row together with the outbox entry of its process, then starts the process. Without workflows
 * nothing of it stays; a repetition finds what is there and starts what no one has started.
 */
export async function startRecorded<Row>(
  { db, processes }: ProcessDeps,
  organizationId: string,
  recorded: Recorded<Row>,
): Promise<{ row: Row; isNew: boolean }> {
  const { row, start, isNew } = await inOrganization(db, organizationId, async (transaction) => {
    const earlier = await recorded.find(transaction);
    if (earlier !== undefined) {
      const { workflowId } = recorded.startOf(earlier);
      return {
        row: earlier,
        start: await findProcessStart(transaction, organizationId, workflowId),
        isNew: false,
      };
    }
    // Of two requests for the same at once both find nothing, and the second is given the first one's row.
    const made = await recorded.make(transaction);
    const begun = recorded.startOf(made);
    const isNew = await insertProcessStart(transaction, organizationId, begun);
    return { row: made, start: begun, isNew };
  });
  // What an earlier request made may run or have ended: only what this one made is taken back.
  const undo = isNew ? (transaction: OrganizationTransaction) => recorded.undo(transaction, row) : undefined;
  if (start !== undefined) await processes.start(organizationId, start, undo);
  return { row, isNew };
}

/**
 * Does what only delays when it fails: the row says what is wanted, and the worker makes up for what is lost.
 */
export async function bestEffort(
  { logger }: { logger: Pick<Logger, 'warn'> },
  workflowId: string,
  work: Promise<void>,
): Promise<void> {
  await work.catch((err: unknown) => logger.warn({ err, workflowId }, 'a process will be woken later'));
}

function workflowsUnavailable(cause: unknown): AppError {
  return new AppError('workflows_unavailable', 'The workflows service did not answer; try again shortly.', {
    cause,
    retryAfterSeconds: 2,
  });
}
