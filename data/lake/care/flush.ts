import type { PhysicalTable } from '../columns.ts';
import type { LakeDeps } from '../commit.ts';
import type { Lake } from '../provision.ts';
import { identifier, literal } from '../sql.ts';
import { useForCare } from './engine.ts';
import { type CareTable, holdTable } from './tables.ts';

/**
 * Moves the rows and deletions that lie in the catalog to Parquet. Every version reads as before: the files
 * carry the snapshot of each row. Returns the rows moved; undefined where there was nothing to move.
 */
export function flushTable(deps: LakeDeps, lake: Lake, table: CareTable): Promise<number | undefined> {
  return holdTable(deps, lake, table, (physical) => flushHeld(deps, lake, physical));
}

/** The same for whoever holds the table's lock already. */
export async function flushHeld(
  deps: LakeDeps,
  lake: Lake,
  table: PhysicalTable,
): Promise<number | undefined> {
  const inlined = [
    ...(await inlinedDataTables(deps, lake, table)),
    ...(await inlinedDeletions(deps, lake, table)),
  ];
  let hasRows = false;
  for (const name of inlined) hasRows = hasRows || (await holdsRows(deps, lake, name));
  if (!hasRows) return undefined;
  return useForCare(deps, lake, async (connection, catalogName) => {
    const reader = await connection.runAndReadAll(
      `CALL ducklake_flush_inlined_data(${catalogName}, schema_name => 'main', table_name => ${literal(table.name)})`,
    );
    const position = reader.columnNames().indexOf('rows_flushed');
    return reader.getRows().reduce((sum, row) => sum + Number(row[position]), 0);
  });
}

/** True where a deletion is still kept in the catalog instead of a file. */
export async function hasInlinedDeletions(
  deps: LakeDeps,
  lake: Lake,
  table: PhysicalTable,
): Promise<boolean> {
  for (const name of await inlinedDeletions(deps, lake, table))
    if (await holdsRows(deps, lake, name)) return true;
  return false;
}

async function inlinedDataTables(deps: LakeDeps, lake: Lake, table: PhysicalTable): Promise<string[]> {
  const { rows } = await deps.catalogPool.query<{ table_name: string }>(
    `SELECT table_name FROM ${identifier(lake.schema)}.ducklake_inlined_data_tables WHERE table_id = $1`,
    [table.lakeTableId],
  );
  return rows.map((row) => row.table_name);
}

/** DuckLake makes this table with the first deletion that it keeps in the catalog. */
async function inlinedDeletions(deps: LakeDeps, lake: Lake, table: PhysicalTable): Promise<string[]> {
  const name = `ducklake_inlined_delete_${table.lakeTableId}`;
  const { rows } = await deps.catalogPool.query<{ exists: boolean }>(
    'SELECT to_regclass($1) IS NOT NULL AS exists',
    [`${identifier(lake.schema)}.${identifier(name)}`],
  );
  return rows[0]?.exists === true ? [name] : [];
}

async function holdsRows(deps: LakeDeps, lake: Lake, name: string): Promise<boolean> {
  const { rows } = await deps.catalogPool.query<{ holds: boolean }>(
    `SELECT EXISTS (SELECT FROM ${identifier(lake.schema)}.${identifier(name)}) AS holds`,
  );
  return rows[0]?.holds === true;
}
