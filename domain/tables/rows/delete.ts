import { AppError, ValidationError, type ValidationFault } from '../../../data/errors.ts';
import { commitOperations } from '../../../data/lake/commit.ts';
import type { EngineConnection } from '../../../data/lake/engine/contract.ts';
import { findOperations, findStatistics } from '../../../data/lake/ledger.ts';
import { identifier } from '../../../data/lake/sql.ts';
import { encoderOf } from '../row-input/encode.ts';
import { maxFaults, type Row } from '../row-input/plan.ts';
import type { AppendableTable } from '../tables/appendable.ts';
import { rowIdColumn } from '../tables/column-name.ts';
import type { LakeColumn } from '../tables/columns.ts';
import type { TableDeps } from '../tables/deps.ts';
import { findSettled } from '../tables/settled.ts';
import { operationOf } from './append-group.ts';
import { dropIncoming, incoming, stageRows } from './incoming.ts';

export interface DeleteRequest {
  organizationId: string;
  tableId: string;
  /** Rows by their `s_id`, or by the values of all key columns. */
  by: 's_ids' | 'keys';
  /** One object per row, with the columns it is found by. */
  rows: readonly Row[];
  /** The same for a repeated request. */
  operationId: string;
  committedBy: string;
}

export interface DeleteResult {
  rowsDeleted: number;
  tableVersion: number;
}

/** Rolls back a transaction that found no row: the lake does not create an empty snapshot. */
class NothingToDelete extends AppError {
  constructor() {
    super('conflict', 'No row was deleted.');
  }
}

/**
 * Deletes rows in one commit; rows that do not exist are no error. Older versions of the table keep them.
 *
 * @throws ValidationError at a key that does not fit the key columns; AppError not_found, not_appendable
 */
export async function deleteRows(deps: TableDeps, request: DeleteRequest): Promise<DeleteResult> {
  const { organizationId, tableId, operationId } = request;
  const { catalog, catalogPool, locks } = deps.lake;
  return locks.hold(tableId, async () => {
    const lake = await catalog.get(organizationId);
    const done = (await findOperations(catalogPool, lake.schema, [operationId])).get(operationId);
    if (done !== undefined) return { rowsDeleted: done.rowsRemoved, tableVersion: done.version };
    const table = await findSettled(deps, lake, request);
    const unchanged = async () => {
      const statistics = await findStatistics(catalogPool, lake.schema, tableId);
      return { rowsDeleted: 0, tableVersion: statistics?.version ?? 0 };
    };
    const found = foundBy(table, request);
    if (found === undefined) return unchanged();
    let rowsDeleted = 0;
    try {
      const tableVersion = await commitOperations(deps.lake, lake, async (connection) => {
        rowsDeleted = await deleteFound(connection, table.physical.name, found);
        if (rowsDeleted === 0) throw new NothingToDelete();
        return [operationOf(request, 'delete', 0, rowsDeleted)];
      });
      return { rowsDeleted, tableVersion };
    } catch (error) {
      if (error instanceof NothingToDelete) return unchanged();
      throw error;
    }
  });
}

interface Found {
  columns: readonly LakeColumn[];
  /** A JSON list with one object per row, as the engine reads it. */
  text: string;
}

/**
 * The columns and values that rows are found by; undefined if no row can match, because a key column never
 * had a value.
 */
function foundBy({ physical, keyColumns }: AppendableTable, { by, rows }: DeleteRequest): Found | undefined {
  if (by === 'keys' && keyColumns.length === 0)
    throw new ValidationError([
      { loc: ['body', by], msg: 'The table has no key columns. Select rows by s_ids.', type: 'value_error' },
    ]);
  const names = by === 'keys' ? keyColumns : [rowIdColumn];
  const columns = names.map((name) => physical.columns.find((column) => column.name === name)!);
  const faults: ValidationFault[] = [];
  const texts: string[] = [];
  for (const [index, row] of rows.entries()) {
    if (faults.length >= maxFaults) break;
    texts.push(encodeKey(row, ['body', by, index], columns, faults));
  }
  if (faults.length > 0) throw new ValidationError(faults.slice(0, maxFaults));
  if (columns.some(({ typing }) => typing === 'undetermined')) return undefined;
  return { columns, text: `[${texts.join(',')}]` };
}

function encodeKey(
  row: Row,
  loc: readonly (string | number)[],
  columns: readonly LakeColumn[],
  faults: ValidationFault[],
): string {
  for (const name of Object.keys(row))
    if (!columns.some((column) => column.name === name))
      faults.push({ loc: [...loc, name], msg: "This isn't a key column.", type: 'extra_forbidden' });
  const values = columns.map(({ name, dataType, typing }, position) => {
    const value = Object.hasOwn(row, name) ? row[name] : undefined;
    // Any value fits a column that never had one, and finds nothing in it.
    if (typing === 'undetermined' && value !== undefined && value !== null) return '';
    const encoded =
      value === undefined || value === null
        ? { fault: 'A key column must have a value.' }
        : encoderOf(dataType)!(value);
    if (!('fault' in encoded)) return `"c${position}":${encoded.text}`;
    const type = value === undefined ? 'missing' : 'value_error';
    faults.push({ loc: [...loc, name], msg: encoded.fault, type });
    return '';
  });
  return `{${values.join(',')}}`;
}

async function deleteFound(
  connection: EngineConnection,
  table: string,
  { columns, text }: Found,
): Promise<number> {
  await stageRows(connection, { columns, parts: [{ text }] });
  const names = columns.map(({ name }) => identifier(name)).join(', ');
  const deleted = await connection.run(
    `DELETE FROM ${identifier(table)} WHERE (${names}) IN (SELECT ${names} FROM ${incoming})`,
  );
  await dropIncoming(connection);
  return deleted;
}
