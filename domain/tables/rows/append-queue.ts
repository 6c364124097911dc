import { context, trace } from '@opentelemetry/api';
import { AppError } from '../../../data/errors.ts';
import { type Arrivals, gatherArrivals } from '../../../data/lake/arrivals.ts';
import { acting, actingAsService } from '../../../data/postgres/acting.ts';
import { inSpan } from '../../../data/telemetry/spans.ts';
import type { TableDeps } from '../tables/deps.ts';
import { commitGroup } from './append.ts';
import type { AppendRequest, AppendResult, Waiting } from './append-group.ts';
import { commitAsKnown } from './append-known.ts';
import type { KeyedTable } from './write-appended.ts';

/** Appends rows; they are durable and visible when the promise resolves. */
export type Appender = (request: AppendRequest) => Promise<AppendResult>;

/** Size limit of one shared commit, small enough to finish in well under a second. */
const maxGroupBytes = 4_194_304;
/** Size limit of the appends waiting for one table; beyond it clients are asked to slow down. */
const maxWaitingBytes = 67_108_864;

/** Number of tables that are remembered as the last append found them. */
const mostKnown = 500;

/** Appends to one table. */
interface Queue extends Arrivals {
  waiting: Waiting[];
  /** The table as the last commit found it. */
  table: KeyedTable | undefined;
}

/**
 * Appends that arrive while a commit of the same table is in progress share the next one, so that its cost is
 * paid only once. Each request still succeeds or fails alone.
 */
export function createAppender(deps: TableDeps): Appender {
  const queues = new Map<string, Queue>();
  /** In order of use, least recently used first. */
  const known = new Map<string, KeyedTable>();

  function remember(key: string, table: KeyedTable | undefined): void {
    known.delete(key);
    if (table !== undefined) known.set(key, table);
    const [oldest] = known.keys();
    if (known.size > mostKnown) known.delete(oldest!);
  }

  async function drain(key: string, queue: Queue): Promise<void> {
    const { tableId } = queue.waiting[0]!.request;
    let recent = [1, 1];
    do {
      await gatherArrivals(queue, Math.ceil((recent[0]! + recent[1]!) / groupShare));
      const group = takeGroup(queue.waiting);
      if (group.length === 0) break;
      recent = [recent[1]!, group.length];
      try {
        await tracedAsOne(group, async () => {
          const left = queue.table === undefined ? group : await commitAsKnown(deps, queue.table, group);
          if (left.length > 0)
            queue.table = await deps.lake.locks.hold(tableId, () => commitGroup(deps, left));
        });
      } catch (error) {
        queue.table = undefined;
        for (const waiting of group) waiting.reject(error);
      }
    } while (queue.waiting.length > 0 || Math.max(...recent) > 1);
    queues.delete(key);
    remember(key, queue.table);
  }

  return (request) =>
    new Promise((resolve, reject) => {
      const waiting = {
        request,
        principalId: acting().principalId,
        trace: context.active(),
        resolve,
        reject,
      };
      // The organization is part of the key: a request that names another organization's table must not share
      // its commit.
      const key = `${request.organizationId}/${request.tableId}`;
      const queue = queues.get(key);
      if (queue === undefined) {
        const started = { waiting: [waiting], table: known.get(key) };
        queues.set(key, started);
        void actingAsService(() => drain(key, started));
      } else if (bytesOf(queue.waiting) >= maxWaitingBytes) {
        reject(
          new AppError(
            'rate_limited',
            'Too many appends are waiting for this table. Send them more slowly.',
            {
              retryAfterSeconds: 1,
            },
          ),
        );
      } else {
        queue.waiting.push(waiting);
        planAhead(queue, request);
        queue.onArrival?.();
      }
    });
}

/** Checks the rows while another commit is in progress, by the table as it was before. */
function planAhead({ table }: Queue, { body }: AppendRequest): void {
  if (table !== undefined) body.plan(table.columns, table.keys, 'required').catch(() => undefined);
}

/** The commit is part of the first request's trace; those of the others are linked. */
function tracedAsOne(group: readonly Waiting[], commit: () => Promise<void>): Promise<void> {
  const [first, ...others] = group;
  const { organizationId } = first!.request;
  const links = others.flatMap((waiting) => {
    const own = trace.getSpanContext(waiting.trace);
    return own === undefined ? [] : [{ context: own }];
  });
  const attributes = {
    'workspace.organization_id': organizationId,
    'workspace.append.requests': group.length,
  };
  return inSpan('append commit', { attributes, links, parent: first!.trace }, commit);
}

/** A group gathers until it has a third of the requests that the last two had together. */
const groupShare = 3;
function bytesOf(waiting: readonly Waiting[]): number {
  return waiting.reduce((sum, { request }) => sum + request.body.sizeBytes, 0);
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
