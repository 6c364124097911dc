import type pg from 'pg';
import { AppError } from '../errors.ts';
import { endReading } from './ducklake/alive.ts';
import { appendTogether, type InlinedEntry, type TogetherOutcome } from './ducklake/appends-together.ts';
import { createGatherer } from './ducklake/gather-appends.ts';
import { appendInlined, type InlinedAppend, type InlinedRows } from './ducklake/inlined-append.ts';
import { createInCatalog, type NewLakeTable } from './ducklake/new-table.ts';
import type { EngineConnection, LakeEngine } from './engine/contract.ts';
import { isTransientFailure } from './engine/failure.ts';
import type { TableLayouts } from './layouts.ts';
import { type CommitNote, commitExtraInfo, findOperations, type LakeOperation } from './ledger.ts';
import {
  heldTables,
  holdOffAppends,
  inLockSession,
  refuseLostLocks,
  type TableLocks,
  waitForCommits,
} from './locks.ts';
import type { Lake, LakeCatalog } from './provision.ts';

/** Dependencies of everything that reads or writes lakes. */
export interface LakeDeps {
  catalogPool: pg.Pool;
  catalog: LakeCatalog;
  engine: LakeEngine;
  locks: TableLocks;
  /** What tables consist of; undefined if DuckLake reads them all. */
  layouts?: TableLayouts | undefined;
}

/**
 * Runs one lake transaction with its commit note. Every commit to a table goes through here, under the
 * table's lock; the note makes the commit hold off the next holder of the lock until it has ended.
 */
export async function inLakeTransaction<T>(
  deps: Pick<LakeDeps, 'engine'>,
  lake: Lake,
  work: (connection: EngineConnection) => Promise<{ result: T; note: CommitNote }>,
  connection?: EngineConnection,
): Promise<T> {
  async function transact(on: EngineConnection): Promise<T> {
    await on.run('BEGIN');
    const { result, note } = await work(on).catch((error: unknown) => refuseUnread(on, error));
    await on.run(`CALL ${lake.schema}.set_commit_message('workspace', $1, extra_info => $2)`, [
      note.message,
      commitExtraInfo(note, heldTables()),
    ]);
    refuseLostLocks();
    await holdOffAppends(lake.schema, () => on.run('COMMIT'));
    return result;
  }
  if (connection === undefined) return deps.engine.use(lake.writer, transact);
  try {
    return await transact(connection);
  } catch (cause) {
    // Our own connection is closed after a failure; the caller's stays in use.
    await connection.run('ROLLBACK').catch(() => undefined);
    throw cause;
  }
}

/**
 * A refusal depends on what was read, so the connection it was read over must have been alive to the end; any
 * other failure is rethrown unchanged.
 */
async function refuseUnread(connection: EngineConnection, error: unknown): Promise<never> {
  if (isExpected(error)) await endReading(connection);
  throw error;
}

/**
 * Runs a lake transaction with operations and returns its snapshot number.
 *
 * The caller holds the table's lock, and may pass a connection that already contains something the work
 * needs. After an error with an unknown outcome (a connection lost at COMMIT) the ledger decides, once no
 * commit to the tables is in progress: an operation in the ledger was committed.
 */
export async function commitOperations(
  deps: LakeDeps,
  lake: Lake,
  work: (connection: EngineConnection) => Promise<readonly LakeOperation[]>,
  connection?: EngineConnection,
): Promise<number> {
  let operations: readonly LakeOperation[] = [];
  try {
    await inLakeTransaction(
      deps,
      lake,
      async (on) => {
        operations = await work(on);
        const message = operations[0]?.operation ?? '';
        return { result: undefined, note: { message, operations, flushed: [] } };
      },
      connection,
    );
  } catch (cause) {
    const version = await versionAfter(deps, lake, operations, cause);
    if (version !== undefined) return version;
    throw lakeFailure(cause);
  }
  const version = await committedVersion(deps, lake, operations);
  if (version === undefined)
    throw new Error(`Operation ${operations[0]?.id} was committed without a ledger entry.`);
  return version;
}

/**
 * Appends inlined rows with their operations, without an engine; in the session of the table's lock if the
 * caller holds it. Otherwise together with those of other tables of the lake that come at the same time. An
 * unknown outcome is decided as for `commitOperations`.
 */
export async function commitInlined(
  deps: LakeDeps,
  lake: Lake,
  operations: readonly LakeOperation[],
  rows: InlinedRows,
): Promise<InlinedAppend> {
  if (heldTables().length === 0) {
    const append = await together(deps, lake, { rows, operations });
    if (append !== 'alone') return append;
  }
  return byStatement(deps, lake, operations, {
    message: 'append',
    commit: (session, extraInfo) => appendInlined(session, lake.schema, rows, extraInfo),
    written: (version) => ({ outcome: 'written', version }),
  });
}

const gatherers = new WeakMap<TableLocks, ReturnType<typeof createGatherer<TogetherOutcome>>>();

/** `alone`: nothing was written, and the append needs its own call. */
async function together(deps: LakeDeps, lake: Lake, entry: InlinedEntry): Promise<InlinedAppend | 'alone'> {
  const { locks } = deps;
  let gather = gatherers.get(locks);
  if (gather === undefined) {
    gather = createGatherer((schema, entries) =>
      locks.atOnce((session) => appendTogether(session, schema, entries)),
    );
    gatherers.set(locks, gather);
  }
  try {
    return await gather(lake.schema, entry);
  } catch (cause) {
    // Thrown before anything was sent.
    if (cause instanceof AppError) throw cause;
    const version = await versionAfter(deps, lake, entry.operations, cause);
    if (version !== undefined) return { outcome: 'written', version };
    throw lakeFailure(cause);
  }
}

/**
 * Makes an empty table without an engine; undefined if only an engine can. The caller holds its lock. An
 * unknown outcome is decided as for `commitOperations`.
 */
export function commitNewTable(
  deps: LakeDeps,
  lake: Lake,
  operation: LakeOperation,
  table: NewLakeTable,
): Promise<number | undefined> {
  return byStatement(deps, lake, [operation], {
    message: 'create',
    commit: (session, extraInfo) => createInCatalog(session, lake.schema, table, extraInfo),
    written: (version) => version,
  });
}

interface OneStatement<T> {
  message: string;
  commit: (session: pg.ClientBase, extraInfo: string) => Promise<T>;
  /** The outcome, if the commit turns out to have happened. */
  written: (version: number) => T;
}

async function byStatement<T>(
  deps: LakeDeps,
  lake: Lake,
  operations: readonly LakeOperation[],
  { message, commit, written }: OneStatement<T>,
): Promise<T> {
  const extraInfo = commitExtraInfo({ message, operations, flushed: [] }, heldTables());
  try {
    return await inLockSession(deps.locks, operations[0]!.tableId, (session) => commit(session, extraInfo));
  } catch (cause) {
    // Thrown before anything was sent.
    if (cause instanceof AppError) throw cause;
    const version = await versionAfter(deps, lake, operations, cause);
    if (version !== undefined) return written(version);
    throw lakeFailure(cause);
  }
}

/** The version of a commit that reported a failure; undefined if it did not happen. */
async function versionAfter(
  deps: LakeDeps,
  lake: Lake,
  operations: readonly LakeOperation[],
  cause: unknown,
): Promise<number | undefined> {
  if (operations.length === 0) return undefined;
  try {
    const written = operations.map(({ tableId }) => tableId);
    await waitForCommits(deps.catalogPool, [...new Set([...heldTables(), ...written])]);
    return await committedVersion(deps, lake, operations);
  } catch {
    throw new AppError(
      'storage_unavailable',
      "The lake didn't answer, so the change may or may not have been made. Check, or repeat the request with the same Idempotency-Key.",
      { cause, retryAfterSeconds: 5 },
    );
  }
}

async function committedVersion(
  deps: LakeDeps,
  lake: Lake,
  [first]: readonly LakeOperation[],
): Promise<number | undefined> {
  if (first === undefined) return undefined;
  return (await findOperations(deps.catalogPool, lake.schema, [first.id])).get(first.id)?.version;
}

/** The error reported for a failed lake operation: our own refusals unchanged, engine errors translated. */
export function lakeFailure(cause: unknown): unknown {
  return isExpected(cause) ? cause : lakeError(cause);
}

function isExpected(error: unknown): boolean {
  return error instanceof AppError || (error instanceof Error && error.name === 'ValidationError');
}

/** Engine errors of a statement that can never succeed: retrying does not help. */
const refusals =
  /^(Binder|Catalog|Conversion|Constraint|Invalid Input|Not implemented|Out of Range|Parser) Error/;

function lakeError(cause: unknown): AppError {
  const message = cause instanceof Error ? cause.message : '';
  if (refusals.test(message) && !isTransientFailure(cause)) {
    return new AppError(
      'conflict',
      "The lake refused the change because it can't store a name or a value in it.",
      {
        cause,
      },
    );
  }
  return lakeUnavailable(cause);
}

function lakeUnavailable(cause: unknown): AppError {
  return new AppError(
    'storage_unavailable',
    "The lake couldn't be written and nothing was changed. Try again shortly.",
    {
      cause,
      retryAfterSeconds: 1,
    },
  );
}
