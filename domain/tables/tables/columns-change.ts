import { AppError, notFound } from '../../../data/errors.ts';
import { commitOperations } from '../../../data/lake/commit.ts';
import type { EngineConnection } from '../../../data/lake/engine/contract.ts';
import { findOperations } from '../../../data/lake/ledger.ts';
import { identifier } from '../../../data/lake/sql.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import { rowIdColumn } from './column-name.ts';
import { duckDbType, findPhysicalTable, type LakeColumn, type PhysicalTable } from './columns.ts';
import { keyUsers } from './dependents.ts';
import type { TableDeps } from './deps.ts';
import { requireUnique } from './enforce-key.ts';
import { flushHeld, renewableBytes } from './flush.ts';
import { type TableRow, uniqueKeysOf } from './registry.ts';
import { announceRename, forgetColumnNote, resolveRename } from './rename.ts';
import { retypeColumns } from './retype.ts';
import { shownRowId } from './row-id.ts';

interface Change {
  table: TableRow;
  operationId: string;
  committedBy: string;
}

/** Changes the table; false if there is nothing to change. */
type Work = (connection: EngineConnection, physical: PhysicalTable) => Promise<boolean>;

/** The old and new name, if the change renames a column of the current table. */
type RenameOf = (physical: PhysicalTable) => { from: string; to: string } | undefined;

/** Rolls back a transaction that had nothing to do: the lake does not create an empty snapshot. */
class NothingToChange extends AppError {
  constructor() {
    super('conflict', 'The request changes nothing.');
  }
}

/** One schema change as one commit under the table's lock; the same operation again changes nothing. */
async function alter(
  deps: TableDeps,
  { table, operationId, committedBy }: Change,
  work: Work,
  rename?: RenameOf,
): Promise<PhysicalTable> {
  const lake = await deps.lake.catalog.get(table.organization_id);
  const { catalogPool } = deps.lake;
  return deps.lake.locks.hold(table.id, async () => {
    const before = await findPhysicalTable(catalogPool, lake.schema, table.name);
    if (before === undefined) throw notFound('The table');
    // A rename left pending between lake and registry is settled first: this change may be its retry.
    await resolveRename(deps, table.organization_id, table.id);
    if ((await findOperations(catalogPool, lake.schema, [operationId])).has(operationId)) return before;
    // Rows inlined in the catalog under the old schema are moved out later by rewriting the table, unless it
    // is large.
    if (before.sizeBytes > renewableBytes) await flushHeld(deps.lake, lake, before);
    const renamed = rename?.(before);
    if (renamed !== undefined) await announceRename(deps, table, { operationId, ...renamed });
    await commitOperations(deps.lake, lake, async (connection) => {
      if (!(await work(connection, before))) throw new NothingToChange();
      return [
        {
          id: operationId,
          tableId: table.id,
          operation: 'alter',
          rowsAdded: 0,
          rowsRemoved: 0,
          runId: null,
          committedBy,
        },
      ];
    }).catch((error: unknown) => {
      if (!(error instanceof NothingToChange)) throw error;
    });
    if (renamed !== undefined) await resolveRename(deps, table.organization_id, table.id);
    return (await findPhysicalTable(catalogPool, lake.schema, table.name)) ?? before;
  });
}

export function addColumn(deps: TableDeps, change: Change, column: LakeColumn): Promise<PhysicalTable> {
  return alter(deps, change, async (connection, physical) => {
    requireFree(physical, column.name);
    const target = identifier(physical.name);
    if (!column.nullable) {
      const { rows } = await connection.read(`SELECT count(*) FROM ${target}`);
      if (Number(rows[0]![0]) > 0) {
        throw new AppError(
          'conflict',
          'The table already has rows, which would have no value in the new column. Add the column as nullable.',
        );
      }
    }
    const name = identifier(column.name);
    await connection.run(`ALTER TABLE ${target} ADD COLUMN ${name} ${duckDbType(column.dataType)}`);
    if (!column.nullable) await connection.run(`ALTER TABLE ${target} ALTER ${name} SET NOT NULL`);
    if (column.typing !== 'declared')
      await connection.run(`COMMENT ON COLUMN ${target}.${name} IS '${column.typing}'`);
    return true;
  });
}

export interface ColumnChange {
  name: string | undefined;
  dataType: string | undefined;
  cast: boolean;
  nullable: true | undefined;
}

/** Renames, retypes and makes nullable in one commit; the registry's notes and keys follow the new name. */
export async function changeColumn(
  deps: TableDeps,
  change: Change,
  wanted: string,
  to: ColumnChange,
): Promise<PhysicalTable> {
  const renameOf: RenameOf = (physical) => {
    const { name } = requireColumn(physical, wanted);
    return to.name === undefined || to.name === name ? undefined : { from: name, to: to.name };
  };
  const work: Work = async (connection, before) => {
    const column = requireColumn(before, wanted);
    const target = identifier(before.name);
    let changed = false;
    if (to.nullable === true && !column.nullable) {
      await connection.run(`ALTER TABLE ${target} ALTER ${identifier(column.name)} DROP NOT NULL`);
      changed = true;
    }
    const columns = before.columns.map((other) =>
      other === column && to.nullable === true ? { ...other, nullable: true } : other,
    );
    if (to.dataType !== undefined && (to.dataType !== column.dataType || column.typing !== 'declared')) {
      changed = true;
      await retype(connection, before.name, columns, column, to.dataType, to.cast);
      // The cast may have made values equal.
      if (to.cast && uniqueKeysOf(change.table).includes(column.name))
        await requireUnique(connection, before.name, uniqueKeysOf(change.table));
    }
    if (to.name !== undefined && to.name !== column.name) {
      if (to.name.toLowerCase() !== column.name.toLowerCase()) requireFree(before, to.name);
      await connection.run(
        `ALTER TABLE ${target} RENAME ${identifier(column.name)} TO ${identifier(to.name)}`,
      );
      changed = true;
    }
    return changed;
  };
  return alter(deps, change, work, renameOf);
}

/**
 * Drops a column; older versions of the table keep it.
 *
 * @throws AppError `conflict` for a key column, of the table or of one of its syncs
 */
export async function dropColumn(deps: TableDeps, change: Change, wanted: string): Promise<PhysicalTable> {
  const { organization_id: organizationId, id } = change.table;
  let dropped = wanted;
  const after = await alter(deps, change, async (connection, before) => {
    const { name } = requireColumn(before, wanted);
    dropped = name;
    const users = await inOrganization(deps.db, organizationId, (db) =>
      keyUsers(db, organizationId, id, name),
    );
    if (users.length > 0)
      throw new AppError('conflict', `The column is part of a key: ${users.join(', ')}.`, {
        extensions: { dependents: users },
      });
    await connection.run(`ALTER TABLE ${identifier(before.name)} DROP COLUMN ${identifier(name)}`);
    return true;
  });
  await inOrganization(deps.db, organizationId, (db) => forgetColumnNote(db, organizationId, id, dropped));
  return after;
}

async function retype(
  connection: EngineConnection,
  table: string,
  columns: readonly LakeColumn[],
  column: LakeColumn,
  dataType: string,
  cast: boolean,
): Promise<void> {
  const name = identifier(column.name);
  const target = duckDbType(dataType);
  if (dataType !== column.dataType) {
    const fails = `${name} IS NOT NULL AND TRY_CAST(${name} AS ${target}) IS NULL`;
    const changes = `${fails} OR TRY_CAST(TRY_CAST(${name} AS ${target}) AS ${duckDbType(column.dataType)}) IS DISTINCT FROM ${name}`;
    const rows = await failingRows(connection, table, columns, name, cast ? fails : changes);
    if (rows.length > 0) {
      const way = cast
        ? 'Correct these rows first.'
        : 'Correct these rows, or send `cast: true` to change the values that can be cast.';
      throw new AppError(
        'conflict',
        `Some values of ${column.name} cannot become ${dataType} without loss. ${way}`,
        { extensions: { rows } },
      );
    }
  }
  await retypeColumns(connection, table, columns, new Map([[column.name, dataType]]), 'declared');
}

/** At most ten rows that prevent the change, by s_id if the table has one. */
async function failingRows(
  connection: EngineConnection,
  table: string,
  columns: readonly LakeColumn[],
  name: string,
  condition: string,
): Promise<{ s_id: number | string | null; value: string }[]> {
  const rowIds = columns.find((column) => column.name === rowIdColumn);
  // An imported table may have a column of this name that holds anything.
  const id =
    rowIds === undefined ? 'NULL' : rowIds.dataType === 'INTEGER' ? rowIdColumn : `${rowIdColumn}::VARCHAR`;
  const { rows } = await connection.read(
    `SELECT ${id}, left(CAST(${name} AS VARCHAR), 200) FROM ${identifier(table)} WHERE ${condition} ORDER BY 1 LIMIT 10`,
  );
  return rows.map(([rowId, value]) => ({
    s_id: typeof rowId === 'bigint' ? shownRowId(rowId) : (rowId as number | string | null),
    value: String(value),
  }));
}

function requireColumn(physical: PhysicalTable, name: string): LakeColumn {
  const column = physical.columns.find((candidate) => candidate.name.toLowerCase() === name.toLowerCase());
  if (column === undefined) throw notFound(`The column ${JSON.stringify(name)}`);
  return column;
}

function requireFree(physical: PhysicalTable, name: string): void {
  if (physical.columns.some((column) => column.name.toLowerCase() === name.toLowerCase())) {
    throw new AppError(
      'name_taken',
      `The table already has a column named ${JSON.stringify(name)}. Names ignore case.`,
    );
  }
}
