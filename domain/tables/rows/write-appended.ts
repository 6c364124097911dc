import { AppError } from '../../../data/errors.ts';
import { commitInlined, commitOperations, type LakeDeps } from '../../../data/lake/commit.ts';
import type { EngineConnection } from '../../../data/lake/engine/contract.ts';
import { inliningRowLimit } from '../../../data/lake/engine/local.ts';
import type { LakeOperation } from '../../../data/lake/ledger.ts';
import type { Lake } from '../../../data/lake/provision.ts';
import { identifier } from '../../../data/lake/sql.ts';
import type { PlannedRows } from '../row-input/reading/tasks.ts';
import { rowsSource, textOf, transported } from '../row-input/rows-source.ts';
import { createdAtColumn, rowIdColumn } from '../tables/column-name.ts';
import { lakeType, type PhysicalTable } from '../tables/columns.ts';
import type { TableAccess } from '../tables/grants.ts';
import { duplicateRowKey, repeatedKeys } from '../tables/repeated-keys.ts';
import { retypeColumns } from '../tables/retype.ts';
import { dropIncoming, incoming, type StagedRows, stageRows } from './incoming.ts';
import { type RowIdLookup, repeatedInTable } from './taken.ts';

/** A table to which rows are appended. */
export interface KeyedTable extends PhysicalTable {
  id: string;
  access: TableAccess;
  /** The enforced key columns; none if the table has no key, or does not enforce it. */
  keys: readonly string[];
}

/** Requests that share a commit: their rows, and an operation of each. No s_id occurs twice. */
export interface SharedCommit {
  plans: readonly PlannedRows[];
  operations: readonly LakeOperation[];
}

/** Nothing was written, because at least one s_id turned out to be taken. */
export class RowIdsTaken extends AppError {
  readonly taken: ReadonlySet<bigint>;

  constructor(taken: ReadonlySet<bigint>) {
    super('duplicate_row_id', 'An s_id in the group is already in use.');
    this.taken = taken;
  }
}

/**
 * Writes rows that fit the table, and gives the version. The caller holds the table's lock. What the catalog
 * can take is written there by one statement; an engine does the rest.
 *
 * @param lookUp What of the s_ids is known without reading files; asked for only if an engine writes
 * @throws RowIdsTaken
 */
export async function writeAppended(
  deps: LakeDeps,
  lake: Lake,
  table: KeyedTable,
  commit: SharedCommit,
  lookUp: () => Promise<RowIdLookup>,
): Promise<number> {
  return (
    (await writeToCatalog(deps, lake, table, commit)) ?? writeByEngine(deps, lake, table, commit, lookUp)
  );
}

/** Whether rows are few, and need no file, no other type of a column and no comparison of keys. */
export function fitsCatalog(table: KeyedTable, plans: readonly PlannedRows[]): boolean {
  const rows = plans.reduce((sum, { rowIds }) => sum + rowIds.length, 0);
  const isSimple = plans.every((plan) => 'text' in plan && plan.retypes.size === 0);
  return isSimple && table.keys.length === 0 && rows <= inliningRowLimit;
}

/**
 * Writes rows to the catalog, and gives the version; undefined if only an engine can, or if the table is no
 * longer as it is described. Takes the table's lock by itself if the caller does not hold it.
 *
 * @throws RowIdsTaken
 */
export async function writeToCatalog(
  deps: LakeDeps,
  lake: Lake,
  table: KeyedTable,
  { plans, operations }: SharedCommit,
): Promise<number | undefined> {
  if (!fitsCatalog(table, plans)) return undefined;
  const positions = new Map(plans[0]!.columns.map(({ name }, position) => [name, `c${position}`]));
  const columns = table.columns.map(({ name, dataType }) => ({
    name,
    type: lakeType(dataType),
    member: name === createdAtColumn ? undefined : positions.get(name),
  }));
  const append = await commitInlined(deps, lake, operations, {
    ...{ tableId: table.id, access: table.access, lakeTableId: table.lakeTableId },
    columns,
    idColumn: rowIdColumn,
    ids: plans.flatMap(({ rowIds }) => rowIds),
    text: `[${plans.flatMap((plan) => ('text' in plan ? [plan.text.slice(1, -1)] : [])).join(',')}]`,
  });
  if (append.outcome === 'taken') throw new RowIdsTaken(append.taken);
  return append.outcome === 'written' ? append.version : undefined;
}

function writeByEngine(
  deps: LakeDeps,
  lake: Lake,
  table: KeyedTable,
  { plans, operations }: SharedCommit,
  lookUp: () => Promise<RowIdLookup>,
): Promise<number> {
  // Taken ids are rare, so the lookup runs concurrently with the write, which is rolled back if it finds one.
  lookUp().catch(() => undefined);
  return commitOperations(deps, lake, async (connection) => {
    const { retypes } = plans[0]!;
    if (retypes.size > 0) await retypeColumns(connection, table.name, table.columns, retypes, 'inferred');
    await insertRows(connection, table, plans);
    const { taken, filesMayHold } = await lookUp();
    if (taken.size > 0) throw new RowIdsTaken(taken);
    if (filesMayHold) {
      const ids = plans.flatMap(({ rowIds }) => rowIds);
      const repeated = await repeatedInTable(connection, table, ids);
      if (repeated.size > 0) throw new RowIdsTaken(repeated);
    }
    return operations;
  });
}

/** Small requests are inserted together; one in a file gets its own statement. */
async function insertRows(
  connection: EngineConnection,
  table: KeyedTable,
  plans: readonly PlannedRows[],
): Promise<void> {
  const { columns, retypes } = plans[0]!;
  const typed = columns.map(({ name, dataType }) => ({ name, dataType: retypes.get(name) ?? dataType }));
  const texts = plans.flatMap((plan) => ('text' in plan ? [plan.text.slice(1, -1)] : []));
  const parts = [
    ...(texts.length === 0 ? [] : [{ text: `[${texts.join(',')}]` }]),
    ...plans.flatMap((plan) => ('path' in plan ? [{ path: plan.path }] : [])),
  ];
  if (table.keys.length > 0) return insertKeyed(connection, table, { columns: typed, parts });
  for (const part of parts) {
    const { expression, values } = textOf(part);
    await connection.run(insertStatement(table.name, typed, expression), values);
  }
}

/** The same for enforced keys: each key is looked up in the table and among the new rows. */
async function insertKeyed(
  connection: EngineConnection,
  { name, keys }: KeyedTable,
  rows: StagedRows,
): Promise<void> {
  await stageRows(connection, rows);
  const table = identifier(name);
  const repeated = await repeatedKeys(connection, { table, rows: incoming, keys });
  if (repeated.length > 0) throw duplicateRowKey(repeated);
  const names = rows.columns.map((column) => identifier(column.name)).join(', ');
  await connection.run(
    `INSERT INTO ${table} (${names}, ${createdAtColumn}) SELECT ${names}, now() FROM ${incoming}`,
  );
  await dropIncoming(connection);
}

function insertStatement(
  table: string,
  columns: readonly { name: string; dataType: string }[],
  text: string,
): string {
  const names = columns.map(({ name }) => identifier(name));
  const values = columns.map(({ dataType }, position) => transported(dataType, position));
  return `INSERT INTO ${identifier(table)} (${[...names, createdAtColumn].join(', ')})
    SELECT ${values.join(', ')}, now() FROM ${rowsSource(columns, text)}`;
}
