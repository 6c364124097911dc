import type { LakeDeps } from '../../data/lake/commit.ts';
import type { EngineConnection } from '../../data/lake/engine/contract.ts';
import { forgetOutlivedTables } from '../../data/lake/inlined.ts';
import { callProcedure } from '../../data/lake/procedures.ts';
import type { Lake } from '../../data/lake/provision.ts';
import { identifier, literal } from '../../data/lake/sql.ts';
import type { PhysicalTable } from './columns.ts';
import { rewriteTable } from './retype.ts';

/** A table up to this size is written anew where its rows of an outlived schema cannot be flushed as they lie. */
export const renewableBytes = 256_000_000;

export interface Flushed {
  rows: number;
  /** Rows of an outlived schema stay in the catalog: the table is too large to be written anew. */
  leftBehind: boolean;
}

/**
 * Moves the rows and deletions that lie in the catalog to Parquet, for whoever holds the table's lock, and may have a
 * connection to do it on. Every version reads as before: the files carry the snapshot of each row. Undefined where
 * there was nothing to move.
 *
 * DuckLake keeps a catalog table of rows for each schema a table had, and a flush drops the empty ones of
 * outlived schemas that the lake's registry lists, whichever table they are of. Other processes remember them
 * for as long as their engine lives, and one that reads a dropped one loses its whole engine. So none is ever
 * dropped: the empty ones are forgotten first, and a table with rows in one is written anew under its name,
 * which leaves the old rows to the versions before.
 */
export async function flushHeld(
  deps: LakeDeps,
  lake: Lake,
  table: PhysicalTable,
  connection?: EngineConnection,
): Promise<Flushed | undefined> {
  const inlined = await inlinedTables(deps, lake, table);
  if (!inlined.some(({ hasRows }) => hasRows) && !(await hasInlinedDeletions(deps, lake, table)))
    return undefined;
  if (inlined.some(({ isOutlived, hasRows }) => isOutlived && hasRows)) {
    if (table.sizeBytes > renewableBytes) return { rows: 0, leftBehind: true };
    await renew(deps, lake, table, connection);
  }
  await forgetOutlivedTables(deps.catalogPool, lake.schema);
  return { rows: await flush(deps, lake, table, connection), leftBehind: false };
}

/** True where a deletion is still kept in the catalog instead of a file. */
export async function hasInlinedDeletions(
  deps: LakeDeps,
  lake: Lake,
  table: PhysicalTable,
): Promise<boolean> {
  // DuckLake makes this table with the first deletion that it keeps in the catalog.
  const name = `ducklake_inlined_delete_${table.lakeTableId}`;
  const { rows } = await deps.catalogPool.query<{ exists: boolean }>(
    'SELECT to_regclass($1) IS NOT NULL AS exists',
    [`${identifier(lake.schema)}.${identifier(name)}`],
  );
  return rows[0]?.exists === true && holdsRows(deps, lake, name);
}

async function flush(
  deps: LakeDeps,
  lake: Lake,
  { name }: PhysicalTable,
  connection: EngineConnection | undefined,
): Promise<number> {
  const rows = await callProcedure<{ rows_flushed: bigint }>(
    deps,
    lake,
    `ducklake_flush_inlined_data(${literal(lake.schema)}, schema_name => 'main', table_name => ${literal(name)})`,
    connection,
  );
  return rows.reduce((sum, row) => sum + Number(row.rows_flushed), 0);
}

interface InlinedTable {
  hasRows: boolean;
  /** Made for a schema that the table has no more. */
  isOutlived: boolean;
}

async function inlinedTables(deps: LakeDeps, lake: Lake, table: PhysicalTable): Promise<InlinedTable[]> {
  const schema = identifier(lake.schema);
  const { rows } = await deps.catalogPool.query<{ name: string; is_outlived: boolean }>(
    `SELECT i.table_name AS name, i.schema_version < (
       SELECT max(v.schema_version) FROM ${schema}.ducklake_schema_versions v WHERE v.table_id = i.table_id) AS is_outlived
     FROM ${schema}.ducklake_inlined_data_tables i WHERE i.table_id = $1`,
    [table.lakeTableId],
  );
  const found: InlinedTable[] = [];
  for (const { name, is_outlived: isOutlived } of rows)
    found.push({ isOutlived, hasRows: await holdsRows(deps, lake, name) });
  return found;
}

async function holdsRows(deps: LakeDeps, lake: Lake, name: string): Promise<boolean> {
  const { rows } = await deps.catalogPool.query<{ holds: boolean }>(
    `SELECT EXISTS (SELECT FROM ${identifier(lake.schema)}.${identifier(name)}) AS holds`,
  );
  return rows[0]?.holds === true;
}

/** The same rows in a new table of the same name, in one commit that is no operation: nothing changes for anyone. */
async function renew(
  deps: LakeDeps,
  lake: Lake,
  table: PhysicalTable,
  connection: EngineConnection | undefined,
): Promise<void> {
  async function rewrite(on: EngineConnection): Promise<void> {
    await on.run('BEGIN');
    await rewriteTable(on, table.name, table.columns, table.columns);
    await on.run('COMMIT');
  }
  await (connection === undefined ? deps.engine.use(lake.writer, rewrite) : rewrite(connection));
}
