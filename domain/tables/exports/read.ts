import { notFound, ValidationError } from '../../../data/errors.ts';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import { versionsAt } from '../../../data/lake/ledger.ts';
import { identifier } from '../../../data/lake/sql.ts';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import { actAs } from '../../workspace/organizations/rights.ts';
import type { QueryRelation } from '../query/pool.ts';
import { tablesAmong } from '../query/relation-tables.ts';
import { relationsFor } from '../query/relations.ts';
import { listQueryable } from '../tables/tables.ts';
import { snapshotShowing } from '../tables/versions.ts';
import type { AskedVersions } from './exports.ts';

export interface ReadDeps {
  db: Database;
  lake: Pick<LakeDeps, 'catalog' | 'catalogPool'>;
}

/** What is read: a statement, or all rows of a table. */
export type ExportSource = { sql: string } | { tableId: string };

export interface Read {
  sql: string;
  relations: QueryRelation[];
  /** Names of all that may be named, by id. */
  names: ReadonlyMap<string, string>;
}

/** The statement with the relations that it may name, by the rights that its caller has now. */
export function readAs(
  { db }: Pick<ReadDeps, 'db'>,
  organizationId: string,
  callerId: string,
  source: ExportSource,
): Promise<Read> {
  return inOrganization(db, organizationId, async (transaction) => {
    await actAs(transaction, organizationId, callerId);
    const named = await listQueryable(transaction, organizationId);
    const names = new Map(named.map(({ id, name }) => [id, name]));
    if ('tableId' in source && !names.has(source.tableId)) throw notFound('The table');
    const sql = 'sql' in source ? source.sql : `SELECT * FROM ${identifier(names.get(source.tableId)!)}`;
    return { sql, relations: await relationsFor(transaction, organizationId, named, [sql]), names };
  });
}

/**
 * The versions that are asked for, by id or name of a table.
 *
 * @throws ValidationError where no table has the id or name, AppError version_expired
 */
export async function askedVersions(
  { lake }: Pick<ReadDeps, 'lake'>,
  organizationId: string,
  { names }: Read,
  asked: Readonly<Record<string, number>>,
): Promise<AskedVersions> {
  const { schema } = await lake.catalog.get(organizationId);
  const found: AskedVersions = {};
  for (const [key, version] of Object.entries(asked)) {
    const id = [...names].find(([id, name]) => id === key || name.toLowerCase() === key.toLowerCase())?.[0];
    if (id === undefined)
      throw new ValidationError([
        { loc: ['body', 'at_versions', key], msg: 'No table has this id or name.', type: 'value_error' },
      ]);
    found[id] = { version, snapshotId: await snapshotShowing(lake.catalogPool, schema, id, version) };
  }
  return found;
}

/** Snapshot by name, and version by id, of every table that may be read. */
export async function pinnedAt(
  { lake }: Pick<ReadDeps, 'lake'>,
  organizationId: string,
  { relations }: Read,
  { snapshotId, asked }: { snapshotId: number; asked: AskedVersions },
): Promise<{ atVersions: Map<string, number>; versions: Map<string, number> }> {
  const { schema } = await lake.catalog.get(organizationId);
  const tables = tablesAmong(relations);
  const current = await versionsAt(
    lake.catalogPool,
    schema,
    tables.map(({ id }) => id),
    snapshotId,
  );
  const atVersions = new Map<string, number>();
  const versions = new Map<string, number>();
  for (const { id, name } of tables) {
    const version = asked[id]?.version ?? current.get(id);
    // One that was made later is read as it is.
    if (version === undefined) continue;
    atVersions.set(name, asked[id]?.snapshotId ?? snapshotId);
    versions.set(id, version);
  }
  return { atVersions, versions };
}
