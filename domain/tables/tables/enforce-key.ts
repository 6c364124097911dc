import { AppError } from '../../../data/errors.ts';
import { readLake } from '../../../data/lake/ducklake/alive.ts';
import type { EngineConnection } from '../../../data/lake/engine/contract.ts';
import { identifier } from '../../../data/lake/sql.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import { rowIdColumn } from './column-name.ts';
import type { TableDeps } from './deps.ts';
import { type TableRow, updateTableRow } from './registry.ts';
import { ambiguousKey, ambiguousKeys } from './repeated-keys.ts';
import { findSettled } from './settled.ts';

/**
 * Sets whether a data table enforces its key. Runs under the table's lock, so that no row is added between
 * the check of the existing rows and the change.
 *
 * @throws AppError `conflict` where there is no key, or rows stand in the way: they are named
 */
export function setKeyEnforced(
  deps: TableDeps,
  { organizationId, tableId, isEnforced }: { organizationId: string; tableId: string; isEnforced: boolean },
): Promise<TableRow> {
  return deps.lake.locks.hold(tableId, async () => {
    const lake = await deps.lake.catalog.get(organizationId);
    const { physical, keyColumns: keys } = await findSettled(deps, lake, { organizationId, tableId });
    if (isEnforced && keys.length === 0)
      throw new AppError('conflict', 'The table has no key columns, so no key can be enforced.');
    if (isEnforced)
      await readLake(deps.lake.engine, lake, (connection) => requireUnique(connection, physical.name, keys));
    return inOrganization(deps.db, organizationId, (db) =>
      updateTableRow(db, organizationId, tableId, { key_enforced: isEnforced }),
    );
  });
}

/** @throws AppError `conflict` with the first ten keys that several rows have, or rows without a key */
export async function requireUnique(
  connection: EngineConnection,
  table: string,
  keys: readonly string[],
): Promise<void> {
  const target = identifier(table);
  const ambiguous = await ambiguousKeys(connection, { table: target, keys });
  if (ambiguous.length > 0) throw ambiguousKey(ambiguous);
  const isMissing = keys.map((key) => `${identifier(key)} IS NULL`).join(' OR ');
  const { rows } = await connection.read(
    `SELECT ${rowIdColumn} FROM ${target} WHERE ${isMissing} ORDER BY ${rowIdColumn} LIMIT 10`,
  );
  if (rows.length > 0)
    throw new AppError(
      'conflict',
      `These rows have no value in a key column: s_id ${rows.map(([id]) => String(id)).join(', ')}. Delete them, or set the value.`,
    );
}
