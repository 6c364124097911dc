import type pg from 'pg';
import { AppError } from '../errors.ts';
import type { EngineConnection, LakeEngine } from './engine/contract.ts';
import { isTransientFailure } from './engine/failure.ts';
import { commitExtraInfo, findOperations, type LakeOperation } from './ledger.ts';
import { refuseLostLocks, type TableLocks } from './locks.ts';
import type { Lake, LakeCatalog } from './provision.ts';

/** What everything that writes to or reads from lakes is given. */
export interface LakeDeps {
  catalogPool: pg.Pool;
  catalog: LakeCatalog;
  engine: LakeEngine;
  locks: TableLocks;
}

/**
 * One lake transaction with its operations in it. Returns the snapshot number it became.
 *
 * The caller holds the table's lock, and may have a connection already with something in it that the work needs.
 * After an error whose outcome is unknown (a connection lost at COMMIT)
 * the ledger decides: an operation that is in it happened.
 */
export async function commitOperations(
  deps: LakeDeps,
  lake: Lake,
  work: (connection: EngineConnection) => Promise<readonly LakeOperation[]>,
  connection?: EngineConnection,
): Promise<number> {
  let ids: string[] = [];
  async function commit(on: EngineConnection): Promise<void> {
    await on.run('BEGIN');
    const operations = await work(on);
    ids = operations.map((operation) => operation.id);
    await on.run(`CALL ${lake.schema}.set_commit_message('workspace', $1, extra_info => $2)`, [
      operations[0]?.operation ?? '',
      commitExtraInfo(operations),
    ]);
    refuseLostLocks();
    await on.run('COMMIT');
  }
  try {
    await (connection === undefined ? deps.engine.use(lake.writer, commit) : commit(connection));
  } catch (cause) {
    // One of ours is closed; the caller's goes on being used.
    await connection?.run('ROLLBACK').catch(() => undefined);
    const version = await committedVersion(deps, lake, ids).catch(() => undefined);
    if (version !== undefined) return version;
    throw lakeFailure(cause);
  }
  const version = await committedVersion(deps, lake, ids);
  if (version === undefined) throw new Error(`Operation ${ids[0]} committed without a ledger entry.`);
  return version;
}

async function committedVersion(
  deps: LakeDeps,
  lake: Lake,
  ids: readonly string[],
): Promise<number | undefined> {
  const first = ids[0];
  if (first === undefined) return undefined;
  return (await findOperations(deps.catalogPool, lake.schema, [first])).get(first)?.version;
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
