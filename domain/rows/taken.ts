import type pg from 'pg';
import type { LakeDeps } from '../../data/lake/commit.ts';
import type { EngineConnection } from '../../data/lake/engine/contract.ts';
import type { Lake } from '../../data/lake/provision.ts';
import { identifier } from '../../data/lake/sql.ts';
import { isUniqueViolation } from '../../data/postgres/client.ts';
import { rowIdColumn } from '../tables/column-name.ts';
import type { PhysicalTable } from '../tables/columns.ts';

/** Inlined tables known to have their index, so that it is made once a process. */
const indexed = new Set<string>();

/** What index and statistics say of s_ids. */
export interface RowIdLookup {
  /** Those that rows in the catalog have. */
  taken: Set<bigint>;
  /** Whether a Parquet file could hold another: the engine has to look. */
  filesMayHold: boolean;
}

/**
 * Looks s_ids up without an engine. Rows still inlined in the catalog are found through an index of ours; Parquet
 * files need no look where their minimum and maximum rule every id out, as with ids that rise. The caller holds
 * the table's lock.
 */
export async function lookUpRowIds(
  deps: Pick<LakeDeps, 'catalogPool'>,
  lake: Lake,
  table: PhysicalTable,
  ids: readonly bigint[],
): Promise<RowIdLookup> {
  if (ids.length === 0) return { taken: new Set(), filesMayHold: false };
  const [taken, filesMayHold] = await Promise.all([
    takenInlined(deps.catalogPool, lake.schema, table, ids),
    anyFileMayHold(deps.catalogPool, lake.schema, table, rangeOf(ids)),
  ]);
  return { taken, filesMayHold };
}

/** Which of these s_ids the table already holds. The caller holds the table's lock, and no engine process. */
export async function takenRowIds(
  deps: LakeDeps,
  lake: Lake,
  table: PhysicalTable,
  ids: readonly bigint[],
): Promise<Set<bigint>> {
  const { taken, filesMayHold } = await lookUpRowIds(deps, lake, table, ids);
  if (!filesMayHold) return taken;
  return deps.engine.use(lake.writer, async (connection) => {
    const { rows } = await connection.read(
      `SELECT ${rowIdColumn} FROM ${identifier(table.name)} WHERE ${rowIdColumn} IN (${ids.join(', ')})`,
    );
    return new Set(rows.map(([id]) => id as bigint));
  });
}

/** Which of these s_ids the table has more than once, within a transaction that wrote each of them. */
export async function repeatedInTable(
  connection: EngineConnection,
  table: PhysicalTable,
  ids: readonly bigint[],
): Promise<Set<bigint>> {
  const { rows } = await connection.read(
    `SELECT ${rowIdColumn} FROM ${identifier(table.name)} WHERE ${rowIdColumn} IN (${ids.join(', ')})
     GROUP BY ${rowIdColumn} HAVING count(*) > 1`,
  );
  return new Set(rows.map(([id]) => id as bigint));
}

async function takenInlined(
  pool: pg.Pool,
  schemaName: string,
  table: PhysicalTable,
  ids: readonly bigint[],
): Promise<Set<bigint>> {
  const taken = new Set<bigint>();
  for (const inlined of await indexedInlinedTables(pool, schemaName, table)) {
    const found = await pool.query<{ id: string }>(
      `SELECT ${rowIdColumn}::text AS id FROM ${inlined} WHERE ${rowIdColumn} = ANY($1::bigint[]) AND end_snapshot IS NULL`,
      [ids.map(String)],
    );
    for (const row of found.rows) taken.add(BigInt(row.id));
  }
  return taken;
}

/** The table's rows that are still in the catalog, each part with an index on its s_ids. */
async function indexedInlinedTables(
  pool: pg.Pool,
  schemaName: string,
  table: PhysicalTable,
): Promise<string[]> {
  const schema = identifier(schemaName);
  const { rows } = await pool.query<{ table_name: string }>(
    `SELECT table_name FROM ${schema}.ducklake_inlined_data_tables WHERE table_id = $1`,
    [table.lakeTableId],
  );
  const names: string[] = [];
  for (const { table_name: name } of rows) {
    const qualified = `${schema}.${identifier(name)}`;
    if (!indexed.has(qualified)) {
      await pool
        .query(`CREATE INDEX IF NOT EXISTS ${identifier(`${name}_row_id`)} ON ${qualified} (${rowIdColumn})`)
        .catch((error: unknown) => {
          // A look-up whose write has failed already may make it at the same moment.
          if (!isUniqueViolation(error, 'pg_class_relname_nsp_index')) throw error;
        });
      indexed.add(qualified);
    }
    names.push(qualified);
  }
  return names;
}

/** Whether any row of the table can have an s_id in the range, by index and statistics alone. */
export async function mayHoldRowIds(
  deps: LakeDeps,
  lake: Lake,
  table: PhysicalTable,
  range: { min: bigint; max: bigint },
): Promise<boolean> {
  const { catalogPool: pool } = deps;
  for (const inlined of await indexedInlinedTables(pool, lake.schema, table)) {
    const found = await pool.query(
      `SELECT 1 FROM ${inlined} WHERE ${rowIdColumn} BETWEEN $1 AND $2 AND end_snapshot IS NULL LIMIT 1`,
      [String(range.min), String(range.max)],
    );
    if (found.rows.length > 0) return true;
  }
  return anyFileMayHold(pool, lake.schema, table, range);
}

async function anyFileMayHold(
  pool: pg.Pool,
  schemaName: string,
  table: PhysicalTable,
  { min, max }: { min: bigint; max: bigint },
): Promise<boolean> {
  const schema = identifier(schemaName);
  // A file without statistics for the column may hold anything.
  const { rows } = await pool.query(
    `SELECT 1 FROM ${schema}.ducklake_data_file f
     LEFT JOIN ${schema}.ducklake_column c
       ON c.table_id = f.table_id AND c.column_name = '${rowIdColumn}' AND c.end_snapshot IS NULL AND c.parent_column IS NULL
     LEFT JOIN ${schema}.ducklake_file_column_stats s ON s.data_file_id = f.data_file_id AND s.column_id = c.column_id
     WHERE f.table_id = $1 AND f.end_snapshot IS NULL
       AND (s.min_value IS NULL OR s.max_value IS NULL OR (s.min_value::numeric <= $3 AND s.max_value::numeric >= $2))
     LIMIT 1`,
    [table.lakeTableId, String(min), String(max)],
  );
  return rows.length > 0;
}

function rangeOf(ids: readonly bigint[]): { min: bigint; max: bigint } {
  const range = { min: ids[0]!, max: ids[0]! };
  for (const id of ids) {
    if (id < range.min) range.min = id;
    if (id > range.max) range.max = id;
  }
  return range;
}
