import { sql } from 'kysely';
import type { Database } from '../postgres/client.ts';

/** One thing to repair, and how. */
export interface ReconcileItem {
  /** The same for the same thing, whichever worker finds it. */
  key: string;
  work(): Promise<unknown>;
}

/**
 * How to find and repair one kind of inconsistency that a crash between two stores leaves behind. Features
 * register their steps with the worker. An item may be found by several workers, and again after a failure,
 * so work must be repeatable.
 */
export interface ReconcileStep {
  name: string;
  find(): Promise<readonly ReconcileItem[]>;
}

/** Maximum number of items found at once; the next round finds the rest. */
export const itemsAtOnce = 100;

/** A step over items identified by their ids. */
export function itemsStep<T extends object>(
  name: string,
  find: () => Promise<readonly T[]>,
  work: (item: T) => Promise<unknown>,
): ReconcileStep {
  return {
    name,
    find: async () =>
      (await find()).map((item) => ({ key: Object.values(item).join(' '), work: () => work(item) })),
  };
}

interface AgedRows {
  db: Database;
  /** The function of the database that finds them: `active_exports`. */
  foundBy: string;
  olderThanSeconds: number;
}

/** A step over rows that have not been moved on for some time. */
export function rowsStep(
  name: string,
  { db, foundBy, olderThanSeconds }: AgedRows,
  work: (organizationId: string, id: string) => Promise<unknown>,
): ReconcileStep {
  const find = async () => {
    const { rows } = await sql<{ organization_id: string; id: string }>`
      SELECT organization_id, id
      FROM ${sql.raw(foundBy)}(make_interval(secs => ${olderThanSeconds}), ${itemsAtOnce})`.execute(db);
    return rows;
  };
  return itemsStep(name, find, (row) => work(row.organization_id, row.id));
}

/** A step that is a single task, run every round. */
export function wholeStep(name: string, work: () => Promise<unknown>): ReconcileStep {
  return { name, find: async () => [{ key: 'all', work }] };
}
