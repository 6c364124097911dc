import { AppError, notFound } from '../../errors.ts';
import { findPhysicalTable, type LakeColumn, type PhysicalTable } from '../columns.ts';
import { commitOperations, type LakeDeps } from '../commit.ts';
import { findOperations, type LakeOperation } from '../ledger.ts';
import type { Lake } from '../provision.ts';
import { identifier, literal } from '../sql.ts';
import { transportOf } from './encode.ts';
import { createdAtColumn, planRows, type Row, readRowIds, type WritePlan } from './plan.ts';
import { retypeColumns } from './retype.ts';
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
  const ids = fresh.flatMap(({ request }) => readRowIds(request.rows));
  // Taken ids are rare: the look-up runs beside the write, which is undone when it finds one.
  const taken = ids.length === 0 ? Promise.resolve(new Set<bigint>()) : takenRowIds(deps, lake, table, ids);
  taken.catch(() => undefined);
  try {
    await writeAdmitted(deps, lake, table, admit(table, fresh, new Set()), taken);
  } catch (error) {
    if (!(error instanceof RowIdsTaken)) throw error;
    await writeAdmitted(deps, lake, table, admit(table, fresh, await taken), Promise.resolve(new Set()));
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
    const retypes = new Map(admitted.flatMap(({ plan }) => [...plan.retypes]));
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
 * Plans each request against the table as the ones admitted before it leave it; refuses s_ids that are taken
 * or repeated. What a refused request would have changed is not seen by the later ones.
 */
function admit(table: PhysicalTable, group: readonly Waiting[], known: ReadonlySet<bigint>): Admitted[] {
  const taken = new Set(known);
  const admitted: Admitted[] = [];
  let columns = table.columns;
  for (const waiting of group) {
    try {
      const plan = planRows(columns, waiting.request.rows);
      refuseRepeats(plan.rowIds, taken);
      for (const id of plan.rowIds) taken.add(id);
      admitted.push({ waiting, plan });
      columns = applyRetypes(columns, plan.retypes);
    } catch (error) {
      waiting.reject(error);
    }
  }
  return admitted;
}

function applyRetypes(columns: LakeColumn[], retypes: ReadonlyMap<string, string>): LakeColumn[] {
  return columns.map((column) => {
    const dataType = retypes.get(column.name);
    return dataType === undefined ? column : { ...column, dataType, typing: 'inferred' as const };
  });
}

export function refuseRepeats(ids: readonly bigint[], taken: ReadonlySet<bigint>): void {
  const seen = new Set<bigint>();
  const repeated = ids.filter((id) => taken.has(id) || seen.has(id) || !seen.add(id));
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

/** Reads the rows' JSON text ($1) with each column's exact transport type. */
export function rowsSource(columns: readonly { dataType: string }[]): string {
  const shape = Object.fromEntries(
    columns.map(({ dataType }, position) => [`c${position}`, transportOf(dataType).jsonType]),
  );
  return `(SELECT unnest(from_json($1::JSON, ${literal(JSON.stringify([shape]))})) AS r)`;
}

/** The value of one transported column. */
export function transported(dataType: string, position: number): string {
  const { cast } = transportOf(dataType);
  return cast === undefined ? `r.c${position}` : `CAST(r.c${position} AS ${cast})`;
}

function insertStatement(table: string, columns: readonly { name: string; dataType: string }[]): string {
  const names = columns.map(({ name }) => identifier(name));
  const values = columns.map(({ dataType }, position) => transported(dataType, position));
  return `INSERT INTO ${identifier(table)} (${[...names, createdAtColumn].join(', ')})
    SELECT ${values.join(', ')}, now()::TIMESTAMP FROM ${rowsSource(columns)}`;
}
