import { AppError } from '../../../data/errors.ts';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import { isTransientFailure } from '../../../data/lake/engine/failure.ts';
import { findOperations } from '../../../data/lake/ledger.ts';
import type { Lake } from '../../../data/lake/provision.ts';
import { duplicateRowId, repeatsOf } from '../row-input/duplicates.ts';
import { atItsRow } from '../row-input/plan.ts';
import type { TableDeps } from '../tables/deps.ts';
import { refuseUnlessWritable, type TableAccess } from '../tables/grants.ts';
import { findSettled } from '../tables/settled.ts';
import {
  type Admission,
  admit,
  type Planned,
  resolveAll,
  sharedCommit,
  type Waiting,
} from './append-group.ts';
import { lookUpRowIds, type RowIdLookup } from './taken.ts';
import { type KeyedTable, RowIdsTaken, writeAppended } from './write-appended.ts';

/**
 * Settles every request of the group: those that do not fit are refused, the others share one commit. Gives
 * the table as it was.
 */
export async function commitGroup(deps: TableDeps, group: readonly Waiting[]): Promise<KeyedTable> {
  const lake = await deps.lake.catalog.get(group[0]!.request.organizationId);
  let admitted = group;
  const [{ physical, uniqueKeys: keys, access }, done] = await Promise.all([
    findSettled(deps, lake, group[0]!.request, (access) => {
      admitted = group.filter((waiting) => isAdmitted(waiting, access));
    }),
    findOperations(
      deps.lake.catalogPool,
      lake.schema,
      group.map(({ request }) => request.operationId),
    ),
  ]);
  const fresh = admitted.filter(({ request, resolve }) => {
    const entry = done.get(request.operationId);
    if (entry !== undefined) resolve({ rowsWritten: entry.rowsAdded, tableVersion: entry.version });
    return entry === undefined;
  });
  const table: KeyedTable = { ...physical, id: group[0]!.request.tableId, keys, access };
  const planned = await planAll(table, fresh);
  try {
    await writeGroup(deps.lake, lake, table, planned);
  } catch (error) {
    const [only] = planned;
    if (planned.length === 1) throw atItsRow(error, only!.plan.retypedAt);
    if (isUnavailable(error)) throw error;
    // The engine may refuse the values of one request, so each gets its own commit and answer.
    for (const { waiting } of planned) await commitGroup(deps, [waiting]).catch(waiting.reject);
  }
  return table;
}

/** A request without the grant is refused alone. */
function isAdmitted({ principalId, reject }: Waiting, access: TableAccess): boolean {
  try {
    refuseUnlessWritable(access, principalId);
    return true;
  } catch (error) {
    reject(error);
    return false;
  }
}

/** Whether no request of the group is at fault; committing each alone would only fail the same way again. */
function isUnavailable(error: unknown): boolean {
  const code = error instanceof AppError ? error.code : undefined;
  return code === 'storage_unavailable' || code === 'overloaded' || isTransientFailure(error);
}

/** Checks every request's rows; those that do not fit are refused. */
async function planAll(table: KeyedTable, group: readonly Waiting[]): Promise<Planned[]> {
  const planned = await Promise.all(
    group.map(async (waiting) => {
      try {
        return [{ waiting, plan: await waiting.request.body.plan(table.columns, table.keys, 'required') }];
      } catch (error) {
        waiting.reject(error);
        return [];
      }
    }),
  );
  return planned.flat();
}

/** Thrown if requests cannot share a commit, because one changes a type that another was planned against. */
class NeedsOwnCommit extends AppError {
  constructor() {
    super('conflict', 'The request needs its own commit.');
  }
}

async function writeGroup(
  deps: LakeDeps,
  lake: Lake,
  table: KeyedTable,
  group: readonly Planned[],
): Promise<void> {
  if (group.length === 0) return;
  if (group.length > 1 && group.some(({ plan }) => plan.retypes.size > 0)) throw new NeedsOwnCommit();
  const ids = group.flatMap(({ plan }) => plan.rowIds);
  const lookUp = once(() => lookUpRowIds(deps, lake, table, ids));
  let taken: ReadonlySet<bigint> = new Set();
  let remainingLookUp = lookUp;
  // Each iteration knows more: an id found in the index prevented the check of the files, and a request
  // excluded because of another one of the group is admitted once that one is refused.
  for (;;) {
    try {
      return await writeAdmission(deps, lake, table, admit(group, taken), remainingLookUp);
    } catch (error) {
      if (!(error instanceof RowIdsTaken)) throw error;
      const known = await lookUp();
      taken = new Set([...taken, ...known.taken, ...error.taken]);
      remainingLookUp = async () => ({ ...known, taken: new Set() });
    }
  }
}

/** Started by the first call. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined;
  return () => {
    started ??= work();
    return started;
  };
}

/**
 * An s_id is reported as taken only once it is in the table: if the write fails, the requests that repeat its
 * ids fail with it, and may be sent again.
 */
async function writeAdmission(
  deps: LakeDeps,
  lake: Lake,
  table: KeyedTable,
  { admitted, refused, repeated, taken }: Admission,
  lookUp: () => Promise<RowIdLookup>,
): Promise<void> {
  const all = new Set(taken);
  if (refused.length > 0) for (const id of (await lookUp()).taken) all.add(id);
  for (const { waiting, plan } of refused) waiting.reject(duplicateRowId(repeatsOf(plan.rowIds, all)));
  await writeAdmitted(deps, lake, table, admitted, lookUp);
  for (const id of admitted.flatMap(({ plan }) => plan.rowIds)) all.add(id);
  for (const { waiting, plan } of repeated) waiting.reject(duplicateRowId(repeatsOf(plan.rowIds, all)));
}

/** Writes the admitted requests as one commit and answers them. */
async function writeAdmitted(
  deps: LakeDeps,
  lake: Lake,
  table: KeyedTable,
  admitted: readonly Planned[],
  lookUp: () => Promise<RowIdLookup>,
): Promise<void> {
  if (admitted.length === 0) return;
  const version = await writeAppended(deps, lake, table, sharedCommit(admitted), lookUp);
  resolveAll(admitted, version);
}
