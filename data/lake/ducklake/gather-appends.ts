import { type Arrivals, gatherArrivals } from '../arrivals.ts';
import type { InlinedEntry } from './appends-together.ts';

interface Gathered<T> {
  entry: InlinedEntry;
  resolve(outcome: T): void;
  reject(error: unknown): void;
}

/** Tables of one commit, and bytes of their rows: it should take a few milliseconds. */
const mostTables = 32;
const mostBytes = 4_194_304;

/** Appends to the tables of a lake. */
interface Queue<T> extends Arrivals {
  waiting: Gathered<T>[];
}

/**
 * Gathers appends of several tables of a lake that come while another commit of these is under way, and
 * commits them together: a lake has one commit at a time. A table that is alone never waits.
 */
export function createGatherer<T>(commit: (lake: string, entries: readonly InlinedEntry[]) => Promise<T[]>) {
  const queues = new Map<string, Queue<T>>();

  async function drain(lake: string, queue: Queue<T>): Promise<void> {
    let recent = [1, 1];
    do {
      await gatherArrivals(queue, expectedAfter(recent));
      const group = take(queue.waiting);
      if (group.length === 0) break;
      recent = [recent[1]!, group.length];
      try {
        const outcomes = await commit(
          lake,
          group.map(({ entry }) => entry),
        );
        for (const [index, { resolve }] of group.entries()) resolve(outcomes[index]!);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    } while (queue.waiting.length > 0 || Math.max(...recent) > 1);
    queues.delete(lake);
  }

  return (lake: string, entry: InlinedEntry): Promise<T> =>
    new Promise((resolve, reject) => {
      const queue = queues.get(lake);
      const own = { entry, resolve, reject };
      if (queue !== undefined) {
        queue.waiting.push(own);
        queue.onArrival?.();
      } else {
        const started = { waiting: [own] };
        queues.set(lake, started);
        void drain(lake, started);
      }
    });
}

/** More tables than the half of the last two commits, so that tables that take turns come together. */
const expectedAfter = (recent: readonly number[]): number =>
  Math.max(1, Math.min(Math.max(...recent), Math.floor((recent[0]! + recent[1]!) * 0.6)));

/** The first ones, of different tables: two appends to one table may repeat each other's ids. */
function take<T>(queue: Gathered<T>[]): Gathered<T>[] {
  const group: Gathered<T>[] = [];
  const left: Gathered<T>[] = [];
  const tables = new Set<string>();
  let bytes = 0;
  for (const gathered of queue) {
    const { tableId, text } = gathered.entry.rows;
    bytes += text.length;
    const fits = group.length === 0 || (group.length < mostTables && bytes <= mostBytes);
    if (!fits || tables.has(tableId)) left.push(gathered);
    else {
      tables.add(tableId);
      group.push(gathered);
    }
  }
  queue.splice(0, queue.length, ...left);
  return group;
}
