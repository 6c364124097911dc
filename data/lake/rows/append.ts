import { AppError, notFound } from '../../errors.ts';
import { createdAtColumn } from '../column-name.ts';
import { findPhysicalTable, type PhysicalTable } from '../columns.ts';
import { commitOperations, type LakeDeps } from '../commit.ts';
import { findOperations, type LakeOperation } from '../ledger.ts';
import type { Lake } from '../provision.ts';
import { identifier } from '../sql.ts';
import { atItsRow, planRows, type Row, readRowIds, type WritePlan } from './plan.ts';
import { retypeColumns } from './retype.ts';
import { rowsSource, transported } from './rows-source.ts';
import { takenRowIds } from './taken.ts';

export interface AppendRequest {
  organizationId: string;
  tableId: string;
  rows: readonly Row[];
  /** The same for a repeated request: rows that are already in under it are not written again. */
  operationId: string;
  committedBy: string;
}

export interface AppendResult {
  rowsWritten: number;
  tableVersion: number;
}

/** A request that waits for its commit, and how it is answered. */
export interface Waiting {
  request: AppendRequest;
  resolve(result: AppendResult): void;
  reject(error: unknown): void;
}

/** Settles every request of the group: those that do not fit are refused, the rest are one commit. */
export async function commitGroup(deps: LakeDeps, group: readonly Waiting[]): Promise<void> {
  const { organizationId, tableId } = group[0]!.request;
  const lake = await deps.catalog.get(organizationId);
  const [table, done] = await Promise.all([
    appendableTable(deps, lake, organizationId, tableId),
    findOperations(
      deps.catalogPool,
      lake.schema,
      group.map(({ request }) => request.operationId),
    ),
  ]);
  const fresh = group.filter(({ request, resolve }) => {
    const entry = done.get(request.operationId);
    if (entry !== undefined) resolve({ rowsWritten: entry.rowsAdded, tableVersion: entry.version });
    return entry === undefined;
  });
  try {
    await writeGroup(deps, lake, table, fresh);
  } catch (error) {
    if (fresh.length === 1) throw atItsRow(error, fresh[0]!.request.rows);
    // One request's values may be what the engine refuses: each gets a commit, and an answer, of its own.
    for (const waiting of fresh) await commitGroup(deps, [waiting]).catch(waiting.reject);
  }
}

/** Thrown where requests cannot share a commit: one changes a type that another was planned against. */
class NeedsOwnCommit extends AppError {
  constructor() {
    super('conflict', 'The request needs a commit of its own.');
  }
}

async function writeGroup(
  deps: LakeDeps,
  lake: Lake,
  table: PhysicalTable,
  group: readonly Waiting[],
): Promise<void> {
  const ids = group.flatMap(({ request }) => readRowIds(request.rows));
  // Taken ids are rare: the look-up runs beside the write, which is undone when it finds one.
  const taken = ids.length === 0 ? Promise.resolve(new Set<bigint>()) : takenRowIds(deps, lake, table, ids);
  taken.catch(() => undefined);
  try {
    await writeAdmitted(deps, lake, table, await admit(table, group, taken), taken);
  } catch (error) {
    if (!(error instanceof RowIdsTaken)) throw error;
    const admitted = await admit(table, group, taken, await taken);
    await writeAdmitted(deps, lake, table, admitted, Promise.resolve(new Set()));
  }
}

/** Undoes a write in which at least one s_id turned out to be taken. */
class RowIdsTaken extends AppError {
  constructor() {
    super('duplicate_row_id', 'An s_id of the group is taken.');
  }
}

/** Writes the admitted requests as one commit and answers them. */
async function writeAdmitted(
  deps: LakeDeps,
  lake: Lake,
  table: PhysicalTable,
  admitted: readonly Admitted[],
  taken: Promise<ReadonlySet<bigint>>,
): Promise<void> {
  if (admitted.length === 0) return;
  const version = await commitOperations(deps, lake, async (connection) => {
    const { retypes } = admitted[0]!.plan;
    if (retypes.size > 0) await retypeColumns(connection, table.name, table.columns, retypes, 'inferred');
    const columns = admitted.at(-1)!.plan.columns.map((column) => ({
      name: column.name,
      dataType: retypes.get(column.name) ?? column.dataType,
    }));
    const text = `[${admitted.map(({ plan }) => plan.rowTexts.join(',')).join(',')}]`;
    await connection.run(insertStatement(table.name, columns), [text]);
    const ids = await taken;
    if (ids.size > 0) throw new RowIdsTaken();
    return admitted.map(({ waiting, plan }) => operationOf(waiting.request, plan));
  });
  for (const { waiting, plan } of admitted)
    waiting.resolve({ rowsWritten: plan.rowIds.length, tableVersion: version });
}

/** The table as registry and lake have it now: looked up once a commit, not once a request. */
async function appendableTable(
  deps: LakeDeps,
  lake: Lake,
  organizationId: string,
  tableId: string,
): Promise<PhysicalTable> {
  const { rows } = await deps.catalogPool.query<{ name: string; kind: string }>({
    name: 'appendable_table',
    text: `SELECT name, kind FROM tables WHERE organization_id = $1 AND id = $2 AND status = 'ready'`,
    values: [organizationId, tableId],
  });
  const row = rows[0];
  if (row === undefined) throw notFound('The table');
  if (row.kind !== 'data') throw notAppendable(row.kind);
  const table = await findPhysicalTable(deps.catalogPool, lake.schema, row.name);
  if (table === undefined) throw notFound('The table');
  return table;
}

export function notAppendable(kind: string): AppError {
  return new AppError(
    'not_appendable',
    `A table of the kind ${kind} takes no rows; create one with POST /v1/grid/tables, kind=data.`,
  );
}

interface Admitted {
  waiting: Waiting;
  plan: WritePlan;
}

/**
 * Plans each request against the table; refuses s_ids that are taken or repeated. Every request that writes
 * without a change of types can share a commit.
 */
async function admit(
  table: PhysicalTable,
  group: readonly Waiting[],
  lookup: Promise<ReadonlySet<bigint>>,
  known: ReadonlySet<bigint> = new Set(),
): Promise<Admitted[]> {
  const taken = new Set(known);
  const admitted: Admitted[] = [];
  for (const waiting of group) {
    try {
      const plan = planRows(table.columns, waiting.request.rows);
      if (plan.retypes.size > 0 && group.length > 1) throw new NeedsOwnCommit();
      if (repeatsOf(plan.rowIds, taken).length > 0) {
        throw duplicateRowId(repeatsOf(plan.rowIds, new Set([...taken, ...(await lookup)])));
      }
      for (const id of plan.rowIds) taken.add(id);
      admitted.push({ waiting, plan });
    } catch (error) {
      if (error instanceof NeedsOwnCommit) throw error;
      waiting.reject(error);
    }
  }
  return admitted;
}

function repeatsOf(ids: readonly bigint[], taken: ReadonlySet<bigint>): bigint[] {
  const seen = new Set<bigint>();
  return ids.filter((id) => taken.has(id) || seen.has(id) || !seen.add(id));
}

export function refuseRepeats(ids: readonly bigint[], taken: ReadonlySet<bigint>): void {
  const repeated = repeatsOf(ids, taken);
  if (repeated.length > 0) throw duplicateRowId(repeated);
}

export function duplicateRowId(ids: readonly bigint[]): AppError {
  const first = [...new Set(ids)].slice(0, 10);
  return new AppError(
    'duplicate_row_id',
    `These s_id values are present already, or repeated in the request: ${first.join(', ')}.`,
    {
      extensions: {
        row_ids: first.map((id) => (Number.isSafeInteger(Number(id)) ? Number(id) : String(id))),
      },
    },
  );
}

function operationOf(request: AppendRequest, plan: WritePlan): LakeOperation {
  return {
    id: request.operationId,
    tableId: request.tableId,
    operation: 'append',
    rowsAdded: plan.rowIds.length,
    rowsRemoved: 0,
    runId: null,
    committedBy: request.committedBy,
  };
}

function insertStatement(table: string, columns: readonly { name: string; dataType: string }[]): string {
  const names = columns.map(({ name }) => identifier(name));
  const values = columns.map(({ dataType }, position) => transported(dataType, position));
  return `INSERT INTO ${identifier(table)} (${[...names, createdAtColumn].join(', ')})
    SELECT ${values.join(', ')}, now()::TIMESTAMP FROM ${rowsSource(columns)}`;
}
