import { createHash } from 'node:crypto';
import type pg from 'pg';
import { AppError } from '../../../data/errors.ts';
import type { PlainTable } from '../../../data/lake/ducklake/table-layout.ts';
import { catalogName } from '../../../packages/sql-guard/index.ts';
import { duckDbType, physicalTables } from '../tables/columns.ts';
import type { NamedRelation } from '../tables/registry.ts';
import type { QueryRelation } from './request.ts';

/** A table of `information_schema`, and the rows that it has for a caller. */
export interface CatalogTable {
  relation: QueryRelation;
  table: PlainTable;
}

const mostColumns = 20_000;

/** Whether a statement may name one. */
export const mayNameCatalog = (sql: string): boolean => /information_schema/i.test(sql);

/**
 * The tables of `information_schema` for a caller who can name these relations. Names are those of SQL's
 * standard, types those of the engine. Views are listed without their columns.
 *
 * @throws AppError query_too_large
 */
export async function catalogTables(
  pool: Pick<pg.Pool, 'query'>,
  schemaName: string,
  named: readonly NamedRelation[],
): Promise<CatalogTable[]> {
  const own = new Set(named.map(({ name }) => name.toLowerCase()));
  const physical = [...(await physicalTables(pool, schemaName))].filter(([name]) => own.has(name));
  const columns = physical.flatMap(([, table]) =>
    table.columns.map(({ name, dataType, nullable }, index) => [
      ...['lake', 'main', table.name, name, String(index + 1), null],
      ...[nullable ? 'YES' : 'NO', duckDbType(dataType)],
    ]),
  );
  if (columns.length > mostColumns)
    throw new AppError('query_too_large', `information_schema.columns lists up to ${mostColumns} columns.`);
  return [
    catalogTable('schemata', ['catalog_name', 'schema_name', 'schema_owner'], [['lake', 'main', null]]),
    catalogTable(
      'tables',
      ['table_catalog', 'table_schema', 'table_name', 'table_type', 'is_insertable_into'],
      named.map(({ name, kind }) => ['lake', 'main', name, kind === 'view' ? 'VIEW' : 'BASE TABLE', 'NO']),
    ),
    catalogTable(
      'columns',
      [
        ...[
          'table_catalog',
          'table_schema',
          'table_name',
          'column_name',
          'ordinal_position',
          'column_default',
        ],
        ...['is_nullable', 'data_type'],
      ],
      columns,
    ),
  ];
}

function catalogTable(name: string, columns: readonly string[], rows: (string | null)[][]): CatalogTable {
  // The same rows have the same name, so that a process makes them once.
  const key = `catalog_${createHash('sha256')
    .update(JSON.stringify([name, rows]))
    .digest('hex')
    .slice(0, 32)}`;
  const id = `information_schema.${name}`;
  return {
    relation: { id, name: catalogName(name), alias: name, staged: `SELECT * FROM temp.main."${key}"` },
    table: {
      ...{ key, files: [], rows },
      columns: columns.map((column) => ({
        name: column,
        type: column === 'ordinal_position' ? 'INTEGER' : 'VARCHAR',
      })),
    },
  };
}
