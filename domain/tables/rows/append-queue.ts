import { setTimeout } from 'node:timers/promises';
import { AppError } from '../../../data/errors.ts';
import { acting, actingAsService } from '../../../data/postgres/acting.ts';
import type { TableDeps } from '../tables/deps.ts';
import { type AppendRequest, type AppendResult, commitGroup, type Waiting } from './append.ts';

/** Appends rows; they are durable and visible when the promise resolves. */
export type Appender = (request: AppendRequest) => Promise<AppendResult>;

/** Size limit of one shared commit, small enough to finish in well under a second. */
const maxGroupBytes = 4_194_304;
/** Size limit of the appends waiting for one table; beyond it clients are asked to slow down. */
const maxWaitingBytes = 67_108_864;

/**
 * Appends that arrive while a commit of the same table is in progress share the next one, so that its cost is
 * paid only once. Each request still succeeds or fails alone.
 */
export function createAppender(deps: TableDeps): Appender {
  const queues = new Map<string, Waiting[]>();

  async function drain(key: string, queue: Waiting[]): Promise<void> {
    const { tableId } = queue[0]!.request;
    let recent = [1, 1];
    do {
      await gather(queue, Math.max(...recent));
      const group = takeGroup(queue);
      if (group.length === 0) break;
      recent = [recent[1]!, group.length];
      try {
        await deps.lake.locks.hold(tableId, () => commitGroup(deps, group));
      } catch (error) {
        for (const waiting of group) waiting.reject(error);
      }
    } while (queue.length > 0 || Math.max(...recent) > 1);
    queues.delete(key);
  }

  return (request) =>
    new Promise((resolve, reject) => {
      const waiting = { request, principalId: acting().principalId, resolve, reject };
      // The organization is part of the key: a request that names another organization's table must not share
      // its commit.
      const key = `${request.organizationId}/${request.tableId}`;
      const queue = queues.get(key);
      if (queue === undefined) {
        const started = [waiting];
        queues.set(key, started);
        void actingAsService(() => drain(key, started));
      } else if (bytesOf(queue) >= maxWaitingBytes) {
        reject(
          new AppError('rate_limited', 'Too many appends wait for this table; slow down.', {
            retryAfterSeconds: 1,
          }),
        );
      } else {
        queue.push(waiting);
      }
    });
}

/**
 * Interval at which a gathering group is checked; number of checks without a new request that end the
 * gathering; maximum number of checks.
 */
const gatherStepMs = 2;
const maxQuietSteps = 4;
const maxGatherSteps = 8;

/**
 * Waits until as many requests have gathered as shared a recent commit: clients just answered take a moment
 * to send again, and a commit costs more than that moment. A lone client never waits.
 */
async function gather(queue: readonly Waiting[], expected: number): Promise<void> {
  let quietSteps = 0;
  for (
    let step = 0;
    step < maxGatherSteps && quietSteps < maxQuietSteps && queue.length < expected;
    step += 1
  ) {
    const before = queue.length;
    await setTimeout(gatherStepMs);
    quietSteps = queue.length === before ? quietSteps + 1 : 0;
  }
}

function bytesOf(queue: readonly Waiting[]): number {
  return queue.reduce((sum, { request }) => sum + request.body.sizeBytes, 0);
}

function takeGroup(queue: Waiting[]): Waiting[] {
  let bytes = 0;
  let count = 0;
  for (const waiting of queue) {
    bytes += waiting.request.body.sizeBytes;
    if (count > 0 && bytes > maxGroupBytes) break;
    count += 1;
  }
  return queue.splice(0, count);
}
