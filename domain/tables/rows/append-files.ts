import { AppError, notFound } from '../../../data/errors.ts';
import { commitOperations } from '../../../data/lake/commit.ts';
import type { EngineConnection } from '../../../data/lake/engine/contract.ts';
import { findOperations, findStatistics } from '../../../data/lake/ledger.ts';
import { identifier, literal } from '../../../data/lake/sql.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import { duplicateRowId } from '../row-input/duplicates.ts';
import { createdAtColumn, rowIdColumn } from '../tables/column-name.ts';
import { findPhysicalTable, type PhysicalTable } from '../tables/columns.ts';
import type { TableDeps } from '../tables/deps.ts';
import type { StagedFiles } from '../tables/fill.ts';
import { getTable, type TableRow, uniqueKeysOf } from '../tables/registry.ts';
import { resolveRename } from '../tables/rename.ts';
import { duplicateRowKey, repeatedKeys } from '../tables/repeated-keys.ts';
import { makeTable, type Replacement } from '../tables/replace.ts';

/**
 * Adds the rows of staged files to a table in one commit; a column that they lack is null. The same operation
 * again returns the version of its commit. The files stay where they are, and nothing names them afterwards.
 *
 * @throws AppError conflict where the columns changed since, duplicate_row_id, duplicate_row_key
 */
export async function appendFiles(deps: TableDeps, append: Replacement): Promise<number> {
  const { organizationId, operationId, tableId, staged } = append;
  const { catalog, catalogPool, locks } = deps.lake;
  const lake = await catalog.get(organizationId);
  return locks.hold(tableId, async () => {
    const done = (await findOperations(catalogPool, lake.schema, [operationId])).get(operationId);
    if (done !== undefined) return done.version;
    await resolveRename(deps, organizationId, tableId);
    const table = await inOrganization(deps.db, organizationId, (db) =>
      getTable(db, organizationId, tableId),
    );
    const physical = await findPhysicalTable(catalogPool, lake.schema, table.name);
    if (physical === undefined) throw notFound('The table');
    requireColumns(physical, staged);
    // The lake makes no snapshot of nothing.
    if (staged.rows === 0 && append.beside === undefined)
      return (await findStatistics(catalogPool, lake.schema, tableId))?.version ?? 0;
    return commitOperations(deps.lake, lake, async (connection) => {
      if (staged.rows > 0) await insertFiles(connection, table, physical, staged);
      const { runId, committedBy, beside } = append;
      const rows = { rowsAdded: staged.rows, rowsRemoved: 0, runId, committedBy };
      return [
        { id: operationId, tableId, operation: 'append' as const, ...rows },
        ...(beside === undefined ? [] : [await makeTable(connection, lake.schema, beside, append)]),
      ];
    });
  });
}

/** They were those of the table when the files were planned. */
function requireColumns({ columns }: PhysicalTable, staged: StagedFiles): void {
  const changed = staged.columns.find(({ name, dataType }) => {
    const column = columns.find((column) => column.name === name);
    return column === undefined || column.dataType !== dataType || column.typing === 'undetermined';
  });
  const missing = columns.find(
    ({ name, nullable }) =>
      !nullable && name !== createdAtColumn && !staged.columns.some((column) => column.name === name),
  );
  const name = (changed ?? missing)?.name;
  if (name !== undefined)
    throw new AppError(
      'conflict',
      `The column ${JSON.stringify(name)} of the table changed since the import began.`,
    );
}

async function insertFiles(
  connection: EngineConnection,
  table: TableRow,
  physical: PhysicalTable,
  staged: StagedFiles,
): Promise<void> {
  const target = identifier(physical.name);
  const rows = `read_parquet([${staged.files.map(({ url }) => literal(url)).join(', ')}])`;
  const isData = table.kind === 'data';
  if (isData) await refuseTakenIds(connection, target, rows);
  const keys = uniqueKeysOf(table);
  const repeated = keys.length === 0 ? [] : await repeatedKeys(connection, { table: target, rows, keys });
  if (repeated.length > 0) throw duplicateRowKey(repeated);
  const names = staged.columns.map(({ name }) => identifier(name)).join(', ');
  const [into, from] = isData ? [`, ${createdAtColumn}`, ', now()'] : ['', ''];
  await connection.run(`INSERT INTO ${target} (${names}${into}) SELECT ${names}${from} FROM ${rows}`);
}

/** Rows of a data table have an s_id each. */
async function refuseTakenIds(connection: EngineConnection, table: string, rows: string): Promise<void> {
  const { rows: taken } = await connection.read(
    `SELECT ${rowIdColumn} FROM (
       SELECT ${rowIdColumn} FROM ${rows} GROUP BY ${rowIdColumn} HAVING count(*) > 1
       UNION SELECT t.${rowIdColumn} FROM ${table} t SEMI JOIN ${rows} i ON t.${rowIdColumn} = i.${rowIdColumn})
     ORDER BY 1 LIMIT 10`,
  );
  if (taken.length > 0) throw duplicateRowId(taken.map(([id]) => id as bigint));
}
