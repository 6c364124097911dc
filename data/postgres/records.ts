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
  /** The id of the last row before, if any. */
  after: string | undefined;
  limit: number;
}

/** A row held for the transaction, against writers (`share`) or against everybody else who would hold it. */
export type RowLock = 'share' | 'update';

/**
 * What every feature does with its rows: found and gotten by id, listed by id, added once, changed, removed.
 * `what` is how errors call one (`The project`); `prefix` is that of its ids, where all have the same.
 */
export function records<const Name extends RecordTable>(
  table: Name,
  { prefix, what }: { prefix: IdPrefix | undefined; what: string },
) {
  // The one cast of the kit: a name of a table that is not known here has no columns that Kysely could check.
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

    /** A slice of the rows that are equal in `where`, newest first. */
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

    /** Adds a row; the same id again finds the first. */
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
