import { sql } from 'kysely';
import { keyIdOf, sealedHeaderBytes } from '../../../data/encryption.ts';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import type { SealedPosition } from '../../../workflows/workspace/key-rotation/contract.ts';
import { nameOf, type SealedColumn, sealedColumns } from './sealed-columns.ts';

/** A page of values by primary key; the values themselves are not read. */
export interface SealedPage {
  organizationId: string;
  column: SealedColumn;
  rows: { key: string[]; keyId: string }[];
  /** Behind this page. */
  next: SealedPosition;
}

const rowsOfPage = 500;
const organizationsAtOnce = 100;

/**
 * Walks over the sealed values of all organizations, one organization and column after the other. A page may
 * be empty, so that a caller can stop between any two queries and go on at `next` later.
 */
export async function* sealedPages(
  db: Database,
  from: SealedPosition | null,
  pageRows = rowsOfPage,
): AsyncGenerator<SealedPage> {
  if (from !== null) yield* pagesOf(db, from, pageRows);
  for (let last = from?.organizationId ?? ''; ; ) {
    const { rows } = await sql<{ id: string }>`
      SELECT id FROM organizations_after(${last}, ${organizationsAtOnce}) AS id`.execute(db);
    for (const { id } of rows)
      yield* pagesOf(db, { organizationId: id, column: columnAfter(undefined), after: null }, pageRows);
    if (rows.length < organizationsAtOnce) return;
    last = rows.at(-1)!.id;
  }
}

async function* pagesOf(db: Database, from: SealedPosition, pageRows: number): AsyncGenerator<SealedPage> {
  const { organizationId } = from;
  for (let at = from; at.column !== null; ) {
    const column = columnNamed(at.column);
    const rows = await readPage(db, organizationId, column, at.after, pageRows);
    const next: SealedPosition =
      rows.length < pageRows
        ? { organizationId, column: columnAfter(column), after: null }
        : { organizationId, column: at.column, after: rows.at(-1)!.key };
    yield { organizationId, column, rows, next };
    at = next;
  }
}

/** A release that knows other columns may have begun the walk: an unknown one is where the list begins. */
const columnNamed = (name: string): SealedColumn =>
  sealedColumns.find((column) => nameOf(column) === name) ?? sealedColumns[0];

function columnAfter(column: SealedColumn | undefined): string | null {
  const next = sealedColumns[column === undefined ? 0 : sealedColumns.indexOf(column) + 1];
  return next === undefined ? null : nameOf(next);
}

/** Only the header of a value is read: it says which key. */
async function readPage(
  db: Database,
  organizationId: string,
  { table, key, column }: SealedColumn,
  after: string[] | null,
  pageRows: number,
): Promise<SealedPage['rows']> {
  const value = sql.ref(column);
  const keys =
    key.length === 0 ? sql`ARRAY[]::text[]` : sql`ARRAY[${sql.join(key.map((name) => sql.ref(name)))}]`;
  // An organization has at most one row of a table without further key columns.
  const behind = (last: string[]) =>
    key.length === 0 ? sql`false` : sql`${tuple(key)} > (${sql.join(last)})`;
  const isBehind = after === null ? sql`true` : behind(after);
  const order = sql.join(['organization_id', ...key].map((name) => sql.ref(name)));
  const { rows } = await inOrganization(db, organizationId, (transaction) =>
    sql<{ key: string[]; header: Buffer }>`
      SELECT ${keys} AS key, substring(${value} FROM 1 FOR ${sql.lit(sealedHeaderBytes)}) AS header
      FROM ${sql.table(table)}
      WHERE organization_id = ${organizationId} AND ${isBehind} AND ${value} IS NOT NULL
      ORDER BY ${order} LIMIT ${pageRows}`.execute(transaction),
  );
  return rows.map((row) => ({ key: row.key, keyId: keyIdOf(row.header) }));
}

const tuple = (names: readonly string[]) => sql`(${sql.join(names.map((name) => sql.ref(name)))})`;
