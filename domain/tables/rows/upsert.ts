import { ValidationError } from '../../../data/errors.ts';
import { commitOperations } from '../../../data/lake/commit.ts';
import type { EngineConnection } from '../../../data/lake/engine/contract.ts';
import { findOperations } from '../../../data/lake/ledger.ts';
import { identifier } from '../../../data/lake/sql.ts';
import { refuseRepeats } from '../row-input/duplicates.ts';
import { atItsRow, maxFaults } from '../row-input/plan.ts';
import type { PlannedRows } from '../row-input/reading/tasks.ts';
import { createdAtColumn, rowIdColumn } from '../tables/column-name.ts';
import type { PhysicalTable } from '../tables/columns.ts';
import type { TableDeps } from '../tables/deps.ts';
import { ambiguousKey, ambiguousKeys, sameKey } from '../tables/repeated-keys.ts';
import { retypeColumns } from '../tables/retype.ts';
import { findSettled } from '../tables/settled.ts';
import { type AppendRequest, operationOf } from './append-group.ts';
import { dropIncoming, incoming, ordinal, stageRows } from './incoming.ts';
import { takenRowIds } from './taken.ts';

export interface UpsertResult {
  inserted: number;
  updated: number;
  tableVersion: number;
}

/** The columns that rows are matched by: the business key, or s_id if there is none. */
export function upsertKeys(keyColumns: readonly string[]): readonly string[] {
  return keyColumns.length === 0 ? [rowIdColumn] : keyColumns;
}

/** A row matched by its key needs no s_id. */
export const upsertRowIds = (keys: readonly string[]): 'required' | 'optional' =>
  keys.includes(rowIdColumn) ? 'required' : 'optional';

/**
 * Replaces the row with the same key, or adds a new one. The whole row is replaced: omitted columns become
 * null. A matched row keeps its s_id. Of equal keys in the request the last wins.
 */
export async function upsertRows(deps: TableDeps, request: AppendRequest): Promise<UpsertResult> {
  const { organizationId, tableId, operationId } = request;
  const { catalog, catalogPool, locks } = deps.lake;
  return locks.hold(tableId, async () => {
    const lake = await catalog.get(organizationId);
    const done = (await findOperations(catalogPool, lake.schema, [operationId])).get(operationId);
    if (done !== undefined) {
      const { rowsAdded, rowsRemoved: updated, version: tableVersion } = done;
      return { inserted: rowsAdded - updated, updated, tableVersion };
    }
    const { physical: table, keyColumns } = await findSettled(deps, lake, request);
    const keys = upsertKeys(keyColumns);
    const plan = await request.body.plan(table.columns, keys, upsertRowIds(keys));
    // The existing s_ids are read before the transaction, under the lock that keeps the result valid.
    const taken = await takenRowIds(deps.lake, lake, table, plan.rowIds);
    let counts = { inserted: 0, updated: 0 };
    const write = commitOperations(deps.lake, lake, async (connection) => {
      if (plan.retypes.size > 0)
        await retypeColumns(connection, table.name, table.columns, plan.retypes, 'inferred');
      counts = await mergeRows(connection, lake.schema, table, plan, keys, taken);
      return [operationOf(request, 'upsert', counts.inserted + counts.updated, counts.updated)];
    });
    const tableVersion = await write.catch((error: unknown) => {
      throw atItsRow(error, plan.retypedAt);
    });
    return { ...counts, tableVersion };
  });
}

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
  await stageRows(connection, { columns, parts: [plan] });
  const keyList = keys.map(identifier).join(', ');
  const last = `(SELECT * FROM ${incoming} QUALIFY row_number() OVER (PARTITION BY ${keyList} ORDER BY ${ordinal} DESC) = 1)`;
  const target = `${catalogName}.main.${identifier(table.name)}`;
  const { rows } = await connection.read(
    `SELECT i.${rowIdColumn}, count(t.${rowIdColumn}), i.${ordinal} FROM ${last} i LEFT JOIN ${target} t ON ${sameKey(keys)}
     GROUP BY i.${ordinal}, i.${rowIdColumn} ORDER BY i.${ordinal}`,
  );
  const matches = rows.map(([id, count, number]) => ({
    id: id as bigint | null,
    count: Number(count),
    index: Number(number) - 1,
  }));
  if (matches.some(({ count }) => count > 1))
    throw ambiguousKey(await ambiguousKeys(connection, { table: target, rows: incoming, keys }));
  const added = matches.filter(({ count }) => count === 0);
  refuseMissingIds(added);
  refuseRepeats(
    added.map(({ id }) => id!),
    taken,
  );
  const updates = columns
    .filter(({ name }) => name !== rowIdColumn)
    .map(({ name }) => `${identifier(name)} = i.${identifier(name)}`);
  const names = columns.map(({ name }) => identifier(name));
  const matched = updates.length === 0 ? '' : `WHEN MATCHED THEN UPDATE SET ${updates.join(', ')}`;
  await connection.run(
    `MERGE INTO ${target} AS t USING ${last} AS i ON (${sameKey(keys)}) ${matched}
     WHEN NOT MATCHED THEN INSERT (${[...names, createdAtColumn].join(', ')})
       VALUES (${[...names.map((name) => `i.${name}`), 'now()'].join(', ')})`,
  );
  await dropIncoming(connection);
  return { inserted: added.length, updated: matches.length - added.length };
}

/** A row without a matching key is new, and needs an s_id. */
function refuseMissingIds(added: readonly { id: bigint | null; index: number }[]): void {
  const faults = added
    .filter(({ id }) => id === null)
    .slice(0, maxFaults)
    .map(({ index }) => ({
      loc: ['body', 'rows', index, rowIdColumn],
      msg: 'Field required: no row has this key, and a new row needs an integer s_id.',
      type: 'missing',
    }));
  if (faults.length > 0) throw new ValidationError(faults);
}
