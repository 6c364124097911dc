import type { InlinedEntry } from './appends-together.ts';

interface Gathered<T> {
  entry: InlinedEntry;
  resolve(outcome: T): void;
  reject(error: unknown): void;
}

/** Tables of one commit, and bytes of their rows: it should take a few milliseconds. */
const mostTables = 32;
const mostBytes = 4_194_304;

/**
 * Gathers appends of several tables of a lake that come while another commit of these is under way, and
 * commits them together: a lake has one commit at a time. One that comes alone does not wait.
 */
export function createGatherer<T>(commit: (lake: string, entries: readonly InlinedEntry[]) => Promise<T[]>) {
  const waiting = new Map<string, Gathered<T>[]>();

  async function drain(lake: string, queue: Gathered<T>[]): Promise<void> {
    while (queue.length > 0) {
      const group = take(queue);
      try {
        const outcomes = await commit(
          lake,
          group.map(({ entry }) => entry),
        );
        for (const [index, { resolve }] of group.entries()) resolve(outcomes[index]!);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    waiting.delete(lake);
  }

  return (lake: string, entry: InlinedEntry): Promise<T> =>
    new Promise((resolve, reject) => {
      const queue = waiting.get(lake);
      const own = { entry, resolve, reject };
      if (queue !== undefined) queue.push(own);
      else {
        const started = [own];
        waiting.set(lake, started);
        void drain(lake, started);
      }
    });
}

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
