import { notFound } from '../../../data/errors.ts';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import { versionsAt } from '../../../data/lake/ledger.ts';
import { identifier } from '../../../data/lake/sql.ts';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import { actAs } from '../../workspace/organizations/rights.ts';
import type { QueryRelation } from '../query/pool/pool.ts';
import { tablesAmong } from '../query/relation-tables.ts';
import { relationsFor } from '../query/relations.ts';
import { listQueryable, type NamedRelation } from '../tables/registry.ts';
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
  /** All that may be named. */
  named: NamedRelation[];
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
    const sql = 'sql' in source ? source.sql : `SELECT * FROM ${identifier(nameOf(named, source.tableId))}`;
    return { sql, relations: await relationsFor(transaction, organizationId, named, [sql]), named };
  });
}

/** @throws AppError not_found */
export function nameOf(named: readonly NamedRelation[], id: string): string {
  const found = named.find((relation) => relation.id === id);
  if (found === undefined) throw notFound('The table');
  return found.name;
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
