import { identifier, literal } from '../../../data/lake/sql.ts';
import type { QueryRelation } from '../query/request.ts';
import { createdAtColumn } from '../tables/column-name.ts';
import { duckDbType, type LakeColumn } from '../tables/columns.ts';
import { subjectName } from './relations.ts';

/** Rows in files of the lake's own folder that nothing refers to yet. */
export interface StagedContent {
  columns: readonly LakeColumn[];
  files: readonly { url: string }[];
  /** Whether they become the whole content, are added, or replace the rows that have their keys. */
  how:
    | { kind: 'replace' }
    | { kind: 'append' }
    | { kind: 'merge'; keys: readonly string[]; deleted?: string };
}

/** The name by which the parts of the content refer to the staged rows. */
const stagedName = '_staged_rows';

/**
 * The content that a table will have, as the relation `this`; and the new rows alone, where old ones stay.
 * Of a table without content the staged rows are all.
 */
export function contentToBe(
  { columns, files, how }: StagedContent,
  tableId: string,
  tableName: string | undefined,
): { subject: QueryRelation; newRows?: QueryRelation } {
  const staged: QueryRelation = { id: stagedName, name: stagedName, staged: rowsOf(columns, files) };
  const flag = how.kind === 'merge' ? how.deleted : undefined;
  const given =
    flag === undefined
      ? `SELECT * FROM ${stagedName}`
      : `SELECT * EXCLUDE (${identifier(flag)}) FROM ${stagedName} WHERE NOT ${identifier(flag)}`;
  const named = (definition: string, reads: QueryRelation[]): QueryRelation => ({
    ...{ id: subjectName, name: subjectName, definition, reads },
  });
  if (how.kind === 'replace' || tableName === undefined) return { subject: named(given, [staged]) };
  const reads = [staged, { id: tableId, name: tableName }];
  const table = identifier(tableName);
  // The time is set when the rows are written.
  const added = columns.some(({ name }) => name === createdAtColumn)
    ? given
    : `SELECT *, now() AS ${identifier(createdAtColumn)} FROM (${given}) AS g`;
  const keys = how.kind === 'merge' ? how.keys : [];
  const same = keys.map((key) => `s.${identifier(key)} = t.${identifier(key)}`).join(' AND ');
  const kept =
    keys.length === 0
      ? `SELECT * FROM ${table}`
      : `SELECT * FROM ${table} AS t WHERE NOT EXISTS (SELECT 1 FROM ${stagedName} AS s WHERE ${same})`;
  return {
    subject: named(`${kept} UNION ALL BY NAME ${added}`, reads),
    // With all columns of the table, and its types.
    newRows: named(`SELECT * FROM ${table} WHERE false UNION ALL BY NAME ${added}`, reads),
  };
}

/** Types that files do not have of their own: JSON is text, and a time zone may be lost. */
const castTypes =
  /^(?:BOOLEAN|INTEGER|DOUBLE|STRING|DATE|TIME|TIMESTAMP|TIMESTAMPTZ|JSON|DECIMAL\(\d+,\d+\))$/;

function rowsOf(columns: readonly LakeColumn[], files: readonly { url: string }[]): string {
  const list = columns.map(({ name, dataType }) => {
    const value = files.length === 0 ? 'NULL' : identifier(name);
    return castTypes.test(dataType)
      ? `CAST(${value} AS ${duckDbType(dataType)}) AS ${identifier(name)}`
      : `${value} AS ${identifier(name)}`;
  });
  const urls = files.map(({ url }) => literal(url)).join(', ');
  const from = files.length === 0 ? 'WHERE false' : `FROM read_parquet([${urls}])`;
  return `SELECT ${list.join(', ')} ${from}`;
}
