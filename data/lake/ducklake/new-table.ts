import type pg from 'pg';
import { isInlinedType } from './inlined-append.ts';

/** An empty table to make, with DuckLake's names of its types. */
export interface NewLakeTable {
  name: string;
  columns: readonly { name: string; type: string; nullable: boolean; comment: string | undefined }[];
}

/** A name that DuckLake also uses as the table's folder. */
const plainName = /^[A-Za-z_][A-Za-z0-9_]{0,200}$/;
/** DuckLake writes these without quotes unless they are words of SQL; PostgreSQL then has small letters. */
const foldedName = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Names of PostgreSQL are no longer. */
const maxNameBytes = 63;
const ownNames = new Set(['row_id', 'begin_snapshot', 'end_snapshot']);

/** Whether the column has the same name in the table of inlined rows. */
const isKeptName = (name: string): boolean =>
  !(foldedName.test(name) && name !== name.toLowerCase()) &&
  Buffer.byteLength(name) <= maxNameBytes &&
  !ownNames.has(name.toLowerCase());

/**
 * Makes an empty table of a lake in one commit, by one statement and without an engine, as DuckLake's own
 * commit would leave the catalog. Gives the version; undefined if nothing was written, because the name is
 * taken or only an engine can make such a table. The caller holds the table's lock in this session.
 */
export async function createInCatalog(
  session: Pick<pg.ClientBase, 'query'>,
  schemaName: string,
  { name, columns }: NewLakeTable,
  extraInfo: string,
): Promise<number | undefined> {
  const names = new Set(columns.map((column) => column.name.toLowerCase()));
  if (!plainName.test(name) || names.size < columns.length) return undefined;
  if (!columns.every((column) => isInlinedType(column.type) && isKeptName(column.name))) return undefined;
  const { rows } = await session.query<{ outcome: 'written' | 'unfit'; version: number }>(
    'SELECT outcome, version FROM public.create_lake_table($1, $2, $3, $4, $5, $6, $7)',
    [
      schemaName,
      name,
      columns.map((column) => column.name),
      columns.map(({ type }) => type),
      columns.map(({ nullable }) => nullable),
      columns.map(({ comment }) => comment ?? null),
      extraInfo,
    ],
  );
  const { outcome, version } = rows[0]!;
  return outcome === 'written' ? version : undefined;
}
