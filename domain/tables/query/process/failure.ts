import type { ErrorCode } from '../../../../data/errors.ts';
import { isComparedWithNul } from '../../../../data/lake/engine/failure.ts';
import { RowFault } from '../../../../packages/row-formats/index.ts';
import { SqlRefusal } from '../../../../packages/sql-guard/index.ts';
import { QueryRefusal } from '../refusal.ts';
import type { ReadingLocation } from '../request.ts';

export interface ShownFailure {
  code: ErrorCode;
  message: string;
  /** The engine's own message if it is not shown; for the log. */
  privateDetail: string | undefined;
  /**
   * What must be replaced: nothing, the engine (the same statement may then succeed), or the whole process,
   * if the engine cannot be closed safely.
   */
  broken: 'nothing' | 'engine' | 'process';
}

/** The lake could not be opened, which is never the statement's fault. */
export class LakeUnavailable extends Error {
  override readonly name = 'LakeUnavailable';
}

/**
 * Error classes whose message concerns the statement and its values. Others mention files, hosts and
 * catalogs.
 */
const aboutTheStatement =
  /^(Binder|Conversion|Parser|Syntax|Invalid Input|Out of Range|Not implemented|Mismatch Type|Type|Divide by Zero|Constraint|Invalid Type|Serialization|Sequence|Expression Depth|Parameter Not Resolved|Parameter Not Allowed) Error: /i;

const brokenProcess = /^(FATAL|INTERNAL) Error/;
/** DuckLake may crash on a missing answer of the catalog. */
const inDuckLake = /ducklake\.duckdb_extension/;
// Matched from the start only, because the rest may quote a user's values.
/** The catalog, or the connection to it, was lost. */
const lostCatalog =
  /^(Connection|TransactionContext) Error|^Invalid Error: Failed|^Invalid Input Error: Attempting to \w+ [\w ]+\nError: |^[\w ]+ Error: Failed to [a-z ]*DuckLake: /;
const tooLarge =
  /^Out of Memory Error|^IO Error: [^\n]*(max_temp_directory_size|temp_directory|No space left on device)/i;

const rowFaults = { too_large: 'query_too_large', unheld: 'query_failed' } as const;

/** What a statement was refused for by our own code, which says it in words for its user. */
function refusalIn(error: unknown): { code: ErrorCode; message: string } | undefined {
  if (error instanceof RowFault) return { code: rowFaults[error.code], message: error.message };
  return error instanceof QueryRefusal || error instanceof SqlRefusal ? error : undefined;
}

/** What a client is shown of a failed statement, and what is only logged. */
export function shownFailure(error: unknown, location: ReadingLocation, readsThePast: boolean): ShownFailure {
  const refusal = refusalIn(error);
  if (refusal !== undefined) {
    return { code: refusal.code, message: refusal.message, privateDetail: undefined, broken: 'nothing' };
  }
  const detail = error instanceof Error ? error.message : String(error);
  const expected = (code: ErrorCode, message: string): ShownFailure => ({
    code,
    message,
    privateDetail: undefined,
    broken: 'nothing',
  });
  const unexpected = (code: ErrorCode, message: string, broken: ShownFailure['broken']): ShownFailure => ({
    code,
    message,
    privateDetail: detail,
    broken,
  });
  const unread = 'The stored data could not be read. Try again.';
  if (error instanceof LakeUnavailable) return unexpected('storage_unavailable', unread, 'engine');
  if (/^INTERRUPT Error/.test(detail)) return expected('query_timeout', 'The query was interrupted.');
  if (tooLarge.test(detail) || isUnrepresentable(error)) {
    return expected('query_too_large', 'The query needs more memory or temporary disk than it may use.');
  }
  if (isGoneVersion(detail, readsThePast)) {
    return expected('version_expired', 'A requested version is no longer kept, or never existed.');
  }
  if (brokenProcess.test(detail))
    return inDuckLake.test(detail)
      ? unexpected('storage_unavailable', unread, 'process')
      : unexpected('query_failed', 'The engine could not finish this statement.', 'process');
  if (isComparedWithNul(detail)) {
    return expected(
      'query_failed',
      "The statement compares a column with a text that contains a NUL character. Compare an expression such as column || '' instead.",
    );
  }
  if (lostCatalog.test(detail)) return unexpected('storage_unavailable', unread, 'engine');
  if (/^Catalog Error/.test(detail)) {
    return expected('query_failed', "A name in the statement doesn't exist, or isn't allowed in a query.");
  }
  const firstLines =
    detail
      .slice(0, 4_000)
      .split(/\n\s*\n|\nLINE \d+:|\nStack Trace/)[0]
      ?.trim() ?? '';
  if (aboutTheStatement.test(detail) && !isPrivate(firstLines, location)) {
    return expected('query_failed', shortened(firstLines));
  }
  if (/^(IO|HTTP|Permission) Error/.test(detail)) return unexpected('storage_unavailable', unread, 'engine');
  return unexpected('query_failed', 'The statement could not be run.', 'nothing');
}

/**
 * The same failure for a statement that reads through a view what its caller may not read: the engine quotes
 * values, and names columns that it might have meant.
 */
export function withoutValues(failure: ShownFailure, error: unknown): ShownFailure {
  const isOurs = refusalIn(error) !== undefined || failure.code !== 'query_failed';
  if (isOurs || /^(Parser|Syntax) Error/.test(error instanceof Error ? error.message : '')) return failure;
  return {
    ...failure,
    message:
      "The statement failed. The reason is hidden, because it may show data behind a view that you can't read. Ask someone who can read that data to run the statement.",
    privateDetail: undefined,
  };
}

/** A string or buffer that JavaScript cannot hold: the answer exceeded that before its size was known. */
function isUnrepresentable(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return error instanceof RangeError || code === 'ERR_STRING_TOO_LONG';
}

function isGoneVersion(detail: string, readsThePast: boolean): boolean {
  if (/^[\w ]+ Error: No snapshot found at (version|timestamp)/.test(detail)) return true;
  return readsThePast && /does not exist at version/.test(detail);
}

function isPrivate(message: string, location: ReadingLocation): boolean {
  const { catalog, dataPath } = location;
  const bucket = dataPath.replace(/^\w+:\/\//, '').split('/')[0] ?? dataPath;
  const { host = '', schema = '', user = '', password = '' } = catalog ?? {};
  const names = [host, schema, user, password, dataPath];
  return (
    /\w:\/\/|ducklake|plain_\d|read_parquet|postgres|secret|password|\blibpq\b|temp_directory|\.duckdb/i.test(
      message,
    ) ||
    names.some((name) => name.length > 2 && message.includes(name)) ||
    message.includes(`${bucket}/`)
  );
}

function shortened(message: string): string {
  return message.length > 2000 ? `${message.slice(0, 2000)}…` : message;
}
