import type pg from 'pg';
import { AppError } from '../errors.ts';
import { probeCatalog } from './ducklake/alive.ts';
import type { EngineConnection, LakeEngine } from './engine/contract.ts';
import { isTransientFailure } from './engine/failure.ts';
import { type CommitNote, commitExtraInfo, findOperations, type LakeOperation } from './ledger.ts';
import { heldTables, refuseLostLocks, type TableLocks, waitForCommits } from './locks.ts';
import type { Lake, LakeCatalog } from './provision.ts';

/** What everything that writes to or reads from lakes is given. */
export interface LakeDeps {
  catalogPool: pg.Pool;
  catalog: LakeCatalog;
  engine: LakeEngine;
  locks: TableLocks;
}

/**
 * One lake transaction with what its note says in it. Whatever commits to a table does so here, under the
 * table's lock: the note has the commit hold off whoever takes the lock after it.
 */
export async function inLakeTransaction<T>(
  deps: Pick<LakeDeps, 'engine'>,
  lake: Lake,
  work: (connection: EngineConnection) => Promise<{ result: T; note: CommitNote }>,
  connection?: EngineConnection,
): Promise<T> {
  async function transact(on: EngineConnection): Promise<T> {
    await on.run('BEGIN');
    const { result, note } = await work(on).catch((error: unknown) => refuseUnread(on, lake, error));
    await on.run(`CALL ${lake.schema}.set_commit_message('workspace', $1, extra_info => $2)`, [
      note.message,
      commitExtraInfo(note, heldTables()),
    ]);
    refuseLostLocks();
    await on.run('COMMIT');
    return result;
  }
  if (connection === undefined) return deps.engine.use(lake.writer, transact);
  try {
    return await transact(connection);
  } catch (cause) {
    // One of ours is closed after a failure; the caller's goes on being used.
    await connection.run('ROLLBACK').catch(() => undefined);
    throw cause;
  }
}

/**
 * A refusal goes by what was read, which must have come over a connection that lived; whatever else failed is
 * thrown as it is.
 */
async function refuseUnread(connection: EngineConnection, lake: Lake, error: unknown): Promise<never> {
  if (isExpected(error)) await probeCatalog(connection, lake.schema);
  throw error;
}

/**
 * A lake transaction with operations in it. Returns the snapshot number it became.
 *
 * The caller holds the table's lock, and may have a connection already with something in it that the work
 * needs. After an error whose outcome is unknown (a connection lost at COMMIT) the ledger decides, once
 * nothing commits to the tables any more: an operation that is in it happened.
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
    throw new Error(`Operation ${operations[0]?.id} committed without a ledger entry.`);
  return version;
}

/** What became of a commit that failed; undefined where nothing did. */
async function versionAfter(
  deps: LakeDeps,
  lake: Lake,
  operations: readonly LakeOperation[],
  cause: unknown,
): Promise<number | undefined> {
  if (operations.length === 0) return undefined;
  try {
    await waitForCommits(deps.catalogPool, heldTables());
    return await committedVersion(deps, lake, operations);
  } catch {
    throw new AppError(
      'storage_unavailable',
      'The lake did not answer: the change may have been made or not. Look, or repeat the request with the same Idempotency-Key.',
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

/** What a failed use of the lake is told as: our own refusals as they are, the engine's as what they mean. */
export function lakeFailure(cause: unknown): unknown {
  return isExpected(cause) ? cause : lakeError(cause);
}

function isExpected(error: unknown): boolean {
  return error instanceof AppError || (error instanceof Error && error.name === 'ValidationError');
}

/** What the engine says of a statement it understood and will never run: trying again cannot help. */
const refusals =
  /^(Binder|Catalog|Conversion|Constraint|Invalid Input|Not implemented|Out of Range|Parser) Error/;

function lakeError(cause: unknown): AppError {
  const message = cause instanceof Error ? cause.message : '';
  if (refusals.test(message) && !isTransientFailure(cause)) {
    return new AppError('conflict', 'The lake refused the change: a name or a value is one it cannot hold.', {
      cause,
    });
  }
  return lakeUnavailable(cause);
}

function lakeUnavailable(cause: unknown): AppError {
  return new AppError(
    'storage_unavailable',
    'The lake could not be written; nothing was changed. Try again shortly.',
    {
      cause,
      retryAfterSeconds: 1,
    },
  );
}
