import { AppError } from '../../../data/errors.ts';
import { commitOperations } from '../../../data/lake/commit.ts';
import type { EngineConnection } from '../../../data/lake/engine/contract.ts';
import { findOperations } from '../../../data/lake/ledger.ts';
import type { Lake } from '../../../data/lake/provision.ts';
import { identifier } from '../../../data/lake/sql.ts';
import { refuseRepeats } from '../records/duplicates.ts';
import { atItsRow } from '../records/plan.ts';
import type { PlannedRows } from '../records/reading/tasks.ts';
import { rowsSource, textOf, transported } from '../records/rows-source.ts';
import { type AppendableTable, findAppendable } from '../tables/appendable.ts';
import { createdAtColumn, rowIdColumn } from '../tables/column-name.ts';
import type { PhysicalTable } from '../tables/columns.ts';
import type { TableDeps } from '../tables/deps.ts';
import { resolveRename } from '../tables/rename.ts';
import { retypeColumns } from '../tables/retype.ts';
import type { AppendRequest } from './append.ts';
import { takenRowIds } from './taken.ts';

export interface UpsertResult {
  inserted: number;
  updated: number;
  tableVersion: number;
}

/** What rows are matched by: the business key, or s_id where there is none. */
export function upsertKeys(keyColumns: readonly string[]): readonly string[] {
  return keyColumns.length === 0 ? [rowIdColumn] : keyColumns;
}

/**
 * Writes each row over the one with the same key, or as a new one; the whole row is replaced, a column left
 * out becomes null. A matched row keeps the s_id it has. Of equal keys in the request the last wins.
 */
export async function upsertRows(deps: TableDeps, request: AppendRequest): Promise<UpsertResult> {
  const { organizationId, tableId } = request;
  const { catalog, catalogPool, locks } = deps.lake;
  return locks.hold(tableId, async () => {
    const lake = await catalog.get(organizationId);
    const done = (await findOperations(catalogPool, lake.schema, [request.operationId])).get(
      request.operationId,
    );
    if (done !== undefined) {
      return {
        inserted: done.rowsAdded - done.rowsRemoved,
        updated: done.rowsRemoved,
        tableVersion: done.version,
      };
    }
    const { physical: table, keyColumns } = await settled(deps, lake, request);
    const keys = upsertKeys(keyColumns);
    const plan = await request.body.plan(table.columns, keys);
    // Which of the given s_ids exist is read before the transaction, under the lock that keeps it true.
    const taken = await takenRowIds(deps.lake, lake, table, plan.rowIds);
    let counts = { inserted: 0, updated: 0 };
    const write = commitOperations(deps.lake, lake, async (connection) => {
      if (plan.retypes.size > 0)
        await retypeColumns(connection, table.name, table.columns, plan.retypes, 'inferred');
      counts = await mergeRows(connection, lake.schema, table, plan, keys, taken);
      return [
        {
          id: request.operationId,
          tableId,
          operation: 'upsert',
          rowsAdded: counts.inserted + counts.updated,
          rowsRemoved: counts.updated,
          runId: null,
          committedBy: request.committedBy,
        },
      ];
    });
    const tableVersion = await write.catch((error: unknown) => {
      throw atItsRow(error, plan.retypedAt);
    });
    return { ...counts, tableVersion };
  });
}

/** The table under its lock, its keys by the names that the lake has. */
async function settled(
  deps: TableDeps,
  lake: Lake,
  { organizationId, tableId }: AppendRequest,
): Promise<AppendableTable> {
  const found = await findAppendable(deps.lake, lake, organizationId, tableId);
  if (!found.isBeingRenamed) return found;
  await resolveRename(deps, organizationId, tableId);
  return findAppendable(deps.lake, lake, organizationId, tableId);
}

/** Names that no column or table of a user can have: their names may be anything but these. */
const ordinal = '"_workspace ordinal"';
const incomingName = '"_workspace incoming"';
const incoming = `temp.main.${incomingName}`;

async function mergeRows(
  connection: EngineConnection,
  catalogName: string,
  table: PhysicalTable,
  plan: PlannedRows,
  keys: readonly string[],
  taken: ReadonlySet<bigint>,
): Promise<{ inserted: number; updated: number }> {
  const columns = plan.columns.map((column) => ({
    ...column,
    dataType: plan.retypes.get(column.name) ?? column.dataType,
  }));
  const values = columns.map(
    (column, position) => `${transported(column.dataType, position)} AS ${identifier(column.name)}`,
  );
  const keyList = keys.map(identifier).join(', ');
  const { expression, values: texts } = textOf(plan);
  await connection.run(`DROP TABLE IF EXISTS ${incoming}`);
  await connection.run(
    `CREATE TEMP TABLE ${incomingName} AS
     SELECT * FROM (
       SELECT ${values.join(', ')}, row_number() OVER () AS ${ordinal} FROM ${rowsSource(columns, expression)})
     QUALIFY row_number() OVER (PARTITION BY ${keyList} ORDER BY ${ordinal} DESC) = 1`,
    texts,
  );
  const onKeys = keys.map((key) => `t.${identifier(key)} = i.${identifier(key)}`).join(' AND ');
  const target = `${catalogName}.main.${identifier(table.name)}`;
  const { rows } = await connection.read(
    `SELECT i.${rowIdColumn}, count(t.${rowIdColumn}) FROM ${incoming} i LEFT JOIN ${target} t ON ${onKeys} GROUP BY i.${ordinal}, i.${rowIdColumn}`,
  );
  const matches = rows.map(([id, count]) => ({ id: id as bigint, count: Number(count) }));
  if (matches.some(({ count }) => count > 1)) {
    throw new AppError(
      'conflict',
      `A key of the request matches several rows of the table; its key columns (${keys.join(', ')}) are not unique there.`,
    );
  }
  const added = matches.filter(({ count }) => count === 0);
  refuseRepeats(
    added.map(({ id }) => id),
    taken,
  );
  const updates = columns
    .filter(({ name }) => name !== rowIdColumn)
    .map(({ name }) => `${identifier(name)} = i.${identifier(name)}`);
  const names = columns.map(({ name }) => identifier(name));
  const matched = updates.length === 0 ? '' : `WHEN MATCHED THEN UPDATE SET ${updates.join(', ')}`;
  await connection.run(
    `MERGE INTO ${target} AS t USING ${incoming} AS i ON (${onKeys}) ${matched}
     WHEN NOT MATCHED THEN INSERT (${[...names, createdAtColumn].join(', ')})
       VALUES (${[...names.map((name) => `i.${name}`), 'now()'].join(', ')})`,
  );
  await connection.run(`DROP TABLE ${incoming}`);
  return { inserted: added.length, updated: matches.length - added.length };
}
