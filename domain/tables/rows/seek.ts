import { LRUCache } from 'lru-cache';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import { readLake } from '../../../data/lake/ducklake/alive.ts';
import type { Lake } from '../../../data/lake/provision.ts';

/** Rows in the order of an integer column whose values are unique. */
export interface Ordered {
  /** Identifies their content, which never changes: a table's id and version. */
  content: string;
  /** The relation, as SQL. */
  relation: string;
  /** The integer column, as SQL. */
  by: string;
}

/** The row at an offset is the one that comes `skip` rows after the first whose value is at least `from`. */
export interface Position {
  from: bigint;
  skip: number;
}

/** Values from `from` to `to`, with the rows that have one of them and those before. */
interface Range {
  from: bigint;
  to: bigint;
  before: number;
  rows: number;
}

/** As many rows as are skipped by counting along; more are divided into ranges first. */
const fewRows = 50_000;
/** How long counts are kept, in milliseconds: as long as somebody may look at one table. */
const keptMs = 600_000;
/** Ranges into which a range is divided at once. */
const divisions = 1_024n;

/**
 * Finds rows by their number without sorting all of them: the values are divided into ranges of equal width,
 * whose rows are counted in one scan, and so again within a range that has many. What was counted is kept for
 * the tables that were read last.
 */
const counted = new LRUCache<string, Promise<readonly Range[]>>({ max: 100, ttl: keptMs });

/** Where the row with this number is, 0-based; undefined if there are fewer rows. */
export async function seek(
  deps: LakeDeps,
  lake: Lake,
  ordered: Ordered,
  offset: number,
): Promise<Position | undefined> {
  let ranges = await count(deps, lake, ordered, undefined);
  for (;;) {
    const range = ranges.find(({ before, rows }) => offset < before + rows);
    if (range === undefined) return undefined;
    if (range.rows <= fewRows) return { from: range.from, skip: offset - range.before };
    ranges = await count(deps, lake, ordered, range);
  }
}

/** How many rows there are. */
export async function countRows(deps: LakeDeps, lake: Lake, ordered: Ordered): Promise<number> {
  const [all] = await count(deps, lake, ordered, undefined);
  return all?.rows ?? 0;
}

function count(deps: LakeDeps, lake: Lake, ordered: Ordered, within: Range | undefined) {
  const key = [lake.schema, ordered.content, ordered.by, within?.from, within?.to].join(' ');
  const known = counted.get(key);
  if (known !== undefined) return known;
  const counting = within === undefined ? whole(deps, lake, ordered) : divided(deps, lake, ordered, within);
  counted.set(key, counting);
  counting.catch(() => counted.delete(key));
  return counting;
}

async function whole(deps: LakeDeps, lake: Lake, { relation, by }: Ordered): Promise<Range[]> {
  const [[from, to, rows] = []] = await readLake(deps.engine, lake, async (connection) => {
    const sql = `SELECT min(${by})::BIGINT, max(${by})::BIGINT, count(*)::BIGINT FROM ${relation}`;
    return (await connection.read(sql)).rows;
  });
  if (from === null || from === undefined) return [];
  return [{ from: BigInt(from), to: BigInt(to!), before: 0, rows: Number(rows) }];
}

async function divided(deps: LakeDeps, lake: Lake, { relation, by }: Ordered, within: Range) {
  const width = (within.to - within.from) / divisions + 1n;
  const rows = await readLake(deps.engine, lake, async (connection) => {
    const sql = `SELECT ((${by}::HUGEINT - ${within.from}) // ${width})::BIGINT AS division, count(*)::BIGINT
      FROM ${relation} WHERE ${by} BETWEEN ${within.from} AND ${within.to} GROUP BY 1 ORDER BY 1`;
    return (await connection.read(sql)).rows;
  });
  let before = within.before;
  return rows.map(([division, found]): Range => {
    const from = within.from + BigInt(division!) * width;
    const range = { from, to: from + width - 1n, before, rows: Number(found) };
    before += range.rows;
    return range;
  });
}
