import type { Insertable, Selectable, Updateable } from 'kysely';
import { notFound } from '../errors.ts';
import { type IdPrefix, isId } from '../ids.ts';
import type { OrganizationTransaction } from './client.ts';
import type { DB } from './schema.ts';

interface Keyed {
  organization_id: string;
  id: string;
}

/** Tables whose rows belong to an organization and have an id of their own. */
type RecordTable = {
  [Name in keyof DB]: Selectable<DB[Name]> extends Keyed ? Name : never;
}[keyof DB];

export type RecordOf<Name extends RecordTable> = Selectable<DB[Name]>;

export interface Slice {
  /** The id of the last row of the previous slice, if any. */
  after: string | undefined;
  limit: number;
}

/** A row lock held for the transaction: `share` blocks writers, `update` also blocks other lockers. */
export type RowLock = 'share' | 'update';

/**
 * The operations every feature needs on its rows: find, get, list, insert once, update, remove. `what` names
 * a row in errors (`The project`); `prefix` is the prefix of its ids, if they all have the same.
 */
export function records<const Name extends RecordTable>(
  table: Name,
  { prefix, what }: { prefix: IdPrefix | undefined; what: string },
) {
  // The only cast of this module: Kysely cannot check columns of a table whose name is not known here.
  const name = table as 'projects';
  type Row = RecordOf<Name>;
  type Insert = Insertable<DB[Name]> & Keyed;
  type Change = Updateable<DB[Name]>;

  async function find(
    db: OrganizationTransaction,
    organizationId: string,
    id: string,
    lock?: RowLock,
  ): Promise<Row | undefined> {
    if (prefix !== undefined && !isId(prefix, id)) return undefined;
    let query = db
      .selectFrom(name)
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('id', '=', id);
    if (lock !== undefined) query = lock === 'share' ? query.forShare() : query.forUpdate();
    return (await query.executeTakeFirst()) as Row | undefined;
  }

  async function get(
    db: OrganizationTransaction,
    organizationId: string,
    id: string,
    lock?: RowLock,
  ): Promise<Row> {
    const row = await find(db, organizationId, id, lock);
    if (row === undefined) throw notFound(what);
    return row;
  }

  return {
    find,
    get,

    /** A slice of the rows that match `where`, newest first. */
    async list(
      db: OrganizationTransaction,
      organizationId: string,
      { after, limit }: Slice,
      where: Partial<Selectable<DB[Name]>> = {},
    ): Promise<Row[]> {
      let query = db.selectFrom(name).selectAll().where('organization_id', '=', organizationId);
      for (const [column, value] of Object.entries(where))
        query = query.where(column as 'name', value === null ? 'is' : '=', value as string);
      if (after !== undefined) query = query.where('id', '<', after);
      return (await query.orderBy('id', 'desc').limit(limit).execute()) as unknown as Row[];
    },

    /** Adds a row; with an existing id, returns that row. */
    async insert(db: OrganizationTransaction, row: Insert): Promise<Row> {
      const added = await db
        .insertInto(name)
        .values(row as never)
        .onConflict((conflict) => conflict.columns(['organization_id', 'id']).doNothing())
        .returningAll()
        .executeTakeFirst();
      return (added as Row | undefined) ?? get(db, row.organization_id, row.id);
    },

    async update(
      db: OrganizationTransaction,
      organizationId: string,
      id: string,
      change: Change,
    ): Promise<Row> {
      const row = await db
        .updateTable(name)
        .set(change as never)
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) throw notFound(what);
      return row as unknown as Row;
    },

    async remove(db: OrganizationTransaction, organizationId: string, id: string): Promise<void> {
      await db.deleteFrom(name).where('organization_id', '=', organizationId).where('id', '=', id).execute();
    },
  };
}
