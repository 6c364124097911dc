import { AppError } from '../../../data/errors.ts';
import { commitNewTable, commitOperations } from '../../../data/lake/commit.ts';
import { findOperations, findStatistics, type LakeOperation } from '../../../data/lake/ledger.ts';
import type { Lake } from '../../../data/lake/provision.ts';
import { identifier } from '../../../data/lake/sql.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import { lockDefinitions } from '../derived-relations/definitions.ts';
import { refuseWhileRead } from '../derived-relations/graph.ts';
import { createdAtColumn, rowIdColumn } from './column-name.ts';
import { findPhysicalTable, type LakeColumn, lakeType } from './columns.ts';
import { hasActiveBuild, hasActiveImport, hasActiveSnapshot, hasApplyingBatch } from './dependents.ts';
import type { TableDeps } from './deps.ts';
import {
  findTable,
  forgetTable,
  getTable,
  isInLake,
  lockTable,
  reserveTable,
  type TableRow,
  tableStates,
} from './registry.ts';
import { resolveRename } from './rename.ts';
import { createTableStatements } from './retype.ts';

export interface NewDataTable {
  organizationId: string;
  id: string;
  name: string;
  columns: readonly LakeColumn[];
  keyColumns: readonly string[];
  /** Whether the key is enforced: no two rows may have the same key. */
  keyEnforced: boolean;
  ownerUserId: string | null;
  committedBy: string;
}

/** The columns every data table has before and after its own. */
export const automaticColumns: readonly LakeColumn[] = [
  { name: rowIdColumn, dataType: 'INTEGER', nullable: false, typing: 'declared' },
  { name: createdAtColumn, dataType: 'TIMESTAMPTZ', nullable: false, typing: 'declared' },
];

/**
 * Creates an empty appendable table: the name is reserved, the table is created in the lake, and the
 * reservation becomes the table. Repeating it with the same id continues what an earlier attempt left.
 */
export function createDataTable(deps: TableDeps, table: NewDataTable): Promise<TableRow> {
  const { organizationId, id, committedBy } = table;
  const row = {
    ...{ organization_id: organizationId, id, name: table.name, kind: 'data' as const },
    key_columns: [...table.keyColumns],
    key_enforced: table.keyEnforced && table.keyColumns.length > 0,
    owner_user_id: table.ownerUserId,
  };
  const [first, last] = automaticColumns;
  const columns = [first!, ...table.columns, last!];
  return createTable(deps, row, async (lake) => {
    const create = operation(`create:${id}`, id, 'create', 0, committedBy);
    const made = await commitNewTable(deps.lake, lake, create, {
      name: table.name,
      columns: columns.map(({ name, dataType, nullable, typing }) => ({
        ...{ name, nullable, type: lakeType(dataType) },
        comment: typing === 'declared' ? undefined : typing,
      })),
    });
    if (made === undefined)
      await makeByStatements(deps, lake, create, createTableStatements(table.name, columns));
  });
}

/**
 * Creates an empty table of another kind by the engine's own statements, in the same way.
 *
 * @throws AppError name_taken
 */
export function createTableBy(
  deps: TableDeps,
  row: NewRow,
  statements: readonly string[],
  committedBy: string,
): Promise<TableRow> {
  const create = operation(`create:${row.id}`, row.id, 'create', 0, committedBy);
  return createTable(deps, row, (lake) => makeByStatements(deps, lake, create, statements));
}

type NewRow = Parameters<typeof reserveTable>[1];

async function createTable(
  deps: TableDeps,
  row: NewRow,
  make: (lake: Lake) => Promise<unknown>,
): Promise<TableRow> {
  const { organization_id: organizationId, id } = row;
  const reserved = await inOrganization(deps.db, organizationId, (db) => reserveTable(db, row));
  if (reserved.status === 'creating') {
    try {
      const lake = await deps.lake.catalog.get(organizationId);
      await deps.lake.locks.hold(id, async () => {
        if (!(await wasMade(deps, organizationId, id))) await make(lake);
      });
    } catch (error) {
      if (!(await wasMade(deps, organizationId, id).catch(() => true))) {
        await inOrganization(deps.db, organizationId, (db) =>
          forgetTable(db, organizationId, id, 'creating'),
        );
      }
      throw error;
    }
    await inOrganization(deps.db, organizationId, (db) =>
      tableStates.move(db, { organization_id: organizationId, id }, 'creating', 'ready'),
    );
  }
  return inOrganization(deps.db, organizationId, (db) => getTable(db, organizationId, id));
}

function makeByStatements(
  deps: TableDeps,
  lake: Lake,
  create: LakeOperation,
  statements: readonly string[],
): Promise<number> {
  return commitOperations(deps.lake, lake, async (connection) => {
    for (const statement of statements) await connection.run(statement);
    return [create];
  });
}

async function wasMade(deps: TableDeps, organizationId: string, id: string): Promise<boolean> {
  const lake = await deps.lake.catalog.get(organizationId);
  return (await findOperations(deps.lake.catalogPool, lake.schema, [`create:${id}`])).size > 0;
}

/**
 * Drops a table: it is hidden at once, then dropped from the lake, then its name is released. Every step may
 * be repeated.
 */
export async function dropTable(
  deps: TableDeps,
  organizationId: string,
  id: string,
  committedBy: string,
): Promise<void> {
  const table = await inOrganization(deps.db, organizationId, async (db) => {
    await lockDefinitions(db, organizationId);
    const row = await lockTable(db, organizationId, id);
    if (!isInLake(row)) throw new AppError('conflict', 'A system table cannot be deleted.');
    if (await hasActiveImport(db, organizationId, id)) {
      throw new AppError('conflict', 'An import into this table is running; cancel it first.');
    }
    if (await hasActiveSnapshot(db, organizationId, id)) {
      throw new AppError('conflict', 'A snapshot into this table is running. Cancel it first.');
    }
    if (await hasApplyingBatch(db, organizationId, id)) {
      throw new AppError('conflict', 'A batch is being applied to this table. Try again when it has ended.');
    }
    if (await hasActiveBuild(db, organizationId, id)) {
      throw new AppError('conflict', 'This table is being built. Cancel the run first.');
    }
    await refuseWhileRead(db, organizationId, id);
    await tableStates.move(db, { organization_id: organizationId, id }, 'ready', 'deleting');
    return row;
  });
  await finishDrop(deps, table, committedBy);
}

async function finishDrop(deps: TableDeps, table: TableRow, committedBy: string): Promise<void> {
  const { organization_id: organizationId, id } = table;
  const lake = await deps.lake.catalog.get(organizationId);
  await deps.lake.locks.hold(id, async () => {
    const physical = await findPhysicalTable(deps.lake.catalogPool, lake.schema, table.name);
    if (physical === undefined) return;
    const rows = (await findStatistics(deps.lake.catalogPool, lake.schema, id))?.rowCount ?? 0;
    await commitOperations(deps.lake, lake, async (connection) => {
      await connection.run(`DROP TABLE ${identifier(physical.name)}`);
      return [operation(`delete:${id}`, id, 'delete', rows, committedBy)];
    });
  });
  await inOrganization(deps.db, organizationId, (db) => forgetTable(db, organizationId, id, 'deleting'));
}

/** Moves a table that a crash left between two states to the state the lake shows. */
export async function resolveTable(deps: TableDeps, table: TableRow): Promise<void> {
  const { organization_id: organizationId, id } = table;
  if (table.status === 'deleting') return finishDrop(deps, table, 'service');
  if (table.status === 'ready')
    return deps.lake.locks.hold(id, () => resolveRename(deps, organizationId, id));
  // Under the table's lock: a request that is still creating it holds the lock, and has finished when the
  // lock is free.
  await deps.lake.locks.hold(id, async () => {
    const made = await wasMade(deps, organizationId, id);
    await inOrganization(deps.db, organizationId, async (db) => {
      const now = await findTable(db, organizationId, id);
      if (now?.status !== 'creating') return;
      if (made) await tableStates.move(db, { organization_id: organizationId, id }, 'creating', 'ready');
      else await forgetTable(db, organizationId, id, 'creating');
    });
  });
}

function operation(
  id: string,
  tableId: string,
  kind: 'create' | 'delete',
  rowsRemoved: number,
  committedBy: string,
) {
  return { id, tableId, operation: kind, rowsAdded: 0, rowsRemoved, runId: null, committedBy } as const;
}
