import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { AppError } from '../errors.ts';
import { type Database, inOrganization, type OrganizationTransaction } from '../postgres/client.ts';
import { deleteProcessStart, markStarted, type ProcessStart } from '../postgres/process-starts.ts';
import { signalProcess, startProcess } from './start.ts';

export interface ProcessStarter {
  /**
   * Starts a process whose row and outbox entry are committed. Where it certainly did not start, `undo`
   * removes the row in one transaction with the entry; where that is unknown, or the row is an earlier request's
   * and there is no `undo`, both stay for the reconciler. All answer 503.
   */
  start(
    organizationId: string,
    start: ProcessStart,
    undo: ((db: OrganizationTransaction) => Promise<unknown>) | undefined,
  ): Promise<void>;
  /** Wakes a process; its row already says what is wanted, so a signal that is lost only delays. */
  signal(workflowId: string, signal: string): Promise<void>;
}

/** What a use case that starts or wakes a process needs. */
export interface ProcessDeps {
  db: Database;
  processes: ProcessStarter;
}

export function createProcessStarter(db: Database, client: Client): ProcessStarter {
  return {
    async start(organizationId, start, undo) {
      const { outcome, cause } = await startProcess(client, start);
      if (outcome === 'started') return markStarted(db, organizationId, start.workflowId);
      if (outcome === 'refused' && undo !== undefined) {
        await inOrganization(db, organizationId, async (transaction) => {
          await undo(transaction);
          await deleteProcessStart(transaction, organizationId, start.workflowId);
        });
      }
      throw workflowsUnavailable(cause);
    },
    async signal(workflowId, signal) {
      const outcome = await signalProcess(client, workflowId, signal);
      if (outcome === 'unknown') throw workflowsUnavailable(undefined);
    },
  };
}

/** Wakes a process whose row says what is wanted: a signal that is lost is made up for by the worker. */
export async function wake(
  { processes, logger }: { processes: ProcessStarter; logger: Pick<Logger, 'warn'> },
  workflowId: string,
  signal: string,
): Promise<void> {
  await processes
    .signal(workflowId, signal)
    .catch((err: unknown) => logger.warn({ err, workflowId }, 'a process will be woken later'));
}

function workflowsUnavailable(cause: unknown): AppError {
  return new AppError('workflows_unavailable', 'The workflows service did not answer; try again shortly.', {
    cause,
    retryAfterSeconds: 2,
  });
}
