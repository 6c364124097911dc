import { AppError } from '../../../data/errors.ts';
import type { TablesAtSnapshot } from '../../../data/lake/layouts.ts';
import { versionsAt } from '../../../data/lake/ledger.ts';
import type { Database } from '../../../data/postgres/client.ts';
import type { PostgresFormat, RowFormat, StreamFormat } from '../../../packages/row-formats/index.ts';
import type { QueryHistory } from './history.ts';
import type { QueryPool } from './pool/pool.ts';
import type { Described } from './postgres/contract.ts';
import { lookTogether, type PrepareDeps, type Prepared, prepare, type Statement } from './prepare.ts';
import type { RememberedAnswers } from './remembered-answers.ts';
import type { CellValue, QueryAnswer, QueryRelation, SqlValues } from './request.ts';
import type { OnPiece, Streamed } from './stream/contract.ts';

export interface QueryDeps extends PrepareDeps {
  db: Database;
  queries: QueryPool;
  history: QueryHistory;
  answers: RememberedAnswers;
}

/** One statement as a caller gives it. */
export interface Query {
  organizationId: string;
  callerId: string;
  /** Whose rights it has, all of them together; the caller's if omitted. */
  actsFor?: readonly string[];
  /** The only user, besides administrators, who may see its record; all of the organization if omitted. */
  ownerId?: string;
  /** The id of its record in the history. */
  id: string;
  sql: string;
  /** Values of its placeholders. They are bound; the history keeps the statement as written. */
  values?: SqlValues;
  /** Values of the parameters that are written in it, by name without the dollar sign. */
  parameters?: ReadonlyMap<string, CellValue>;
  limit: number;
  timeoutMs: number;
  rowFormat: RowFormat;
  /** Version by table id or name. */
  atVersions: Readonly<Record<string, number>>;
  /** Ids of the tables that it may read; all by default. */
  within?: ReadonlySet<string>;
  /** Named SELECTs, which hide tables of the same names. */
  views?: readonly QueryRelation[];
  /** The moment at which it reads all tables; the newest if left out. */
  moment?: TablesAtSnapshot;
}

export interface QueryResult {
  answer: QueryAnswer;
  /** The tables that were read, with the version of each. */
  scanned: { tableId: string; version: number }[];
  /** Whether the answer was kept from the same statement over the same versions. */
  cached: boolean;
}

/**
 * Runs one statement in a query process, and keeps its record.
 *
 * @throws AppError with one of the query codes, ValidationError where `atVersions` names no table
 */
export function runQuery(deps: QueryDeps, query: Query, signal: AbortSignal): Promise<QueryResult> {
  const { organizationId, limit, timeoutMs, rowFormat } = query;
  const keyed = (key: string) => `${rowFormat} ${key}`;
  return recorded(deps, query, {
    perform: (statement) => deps.queries.run({ ...statement, limit, timeoutMs, rowFormat, signal }),
    remembered: {
      find: (key) => deps.answers.find(organizationId, keyed(key)),
      keep: (key, answer) => deps.answers.keep(organizationId, keyed(key), answer),
    },
  });
}

/** Of statements that are asked together, as many run at once. */
const togetherAtOnce = 4;

/**
 * Runs statements of one organization, all over one snapshot of its lake: the newest by default. One that
 * fails leaves the others.
 *
 * @throws AppError if the snapshot cannot be found
 */
export async function runTogether(
  deps: QueryDeps,
  queries: readonly Query[],
  signal: AbortSignal,
  asked?: number,
): Promise<{ snapshotId: number; results: PromiseSettledResult<QueryResult>[] }> {
  if (queries.length === 0) return { snapshotId: asked ?? 0, results: [] };
  const moment = await lookTogether(deps, queries, asked);
  const results: PromiseSettledResult<QueryResult>[] = [];
  const left = [...queries.entries()];
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [index, query] = next;
      [results[index]] = await Promise.allSettled([runQuery(deps, { ...query, moment }, signal)]);
    }
  };
  await Promise.all(Array.from({ length: togetherAtOnce }, worker));
  return { snapshotId: moment.snapshotId, results };
}

/** How the rows of a statement are handed on. */
export interface RowStream {
  format: StreamFormat | PostgresFormat;
  onPiece: OnPiece;
}

/**
 * Runs one statement and hands on its rows while it runs; the record of one that breaks has the number of
 * rows handed on.
 *
 * @throws as `runQuery`, also after rows were handed on
 */
export async function streamQuery(
  deps: QueryDeps,
  query: Omit<Query, 'rowFormat'>,
  { format, onPiece }: RowStream,
  signal: AbortSignal,
): Promise<Streamed> {
  const { limit, timeoutMs } = query;
  let rowCount: number | undefined;
  const counted: OnPiece = (piece) => {
    rowCount = (rowCount ?? 0) + piece.rowCount;
    return onPiece(piece);
  };
  const { answer } = await recorded(deps, query, {
    perform: (statement) =>
      deps.queries.perform(
        { kind: 'stream', ...statement, limit, format },
        { timeoutMs, signal, onPiece: counted },
      ),
    rowsSoFar: () => rowCount,
  });
  return answer;
}

/**
 * Tells the columns of a statement and the types of its parameters, without running it. The history has no
 * record of it.
 *
 * @throws as `runQuery`
 */
export async function describeQuery(
  deps: QueryDeps,
  query: Omit<Query, 'rowFormat' | 'limit' | 'id'>,
  signal: AbortSignal,
): Promise<Described> {
  const { organizationId, timeoutMs } = query;
  deps.queries.admit(organizationId);
  const prepared = await prepare(deps, { ...query, limit: 1 });
  const describe = (statement: Statement) =>
    deps.queries.perform({ kind: 'describe', ...statement }, { timeoutMs, signal });
  const plainly = prepared.plain && (await describe(prepared.plain.statement).catch(unlessOfTheWay));
  return plainly ?? describe(prepared.statement);
}

/** What an answer says besides its rows. */
type Summary = Pick<
  QueryAnswer,
  'rowCount' | 'truncated' | 'elapsedMs' | 'scannedRelationIds' | 'snapshotId'
>;

interface Work<Answer> {
  perform(statement: Statement): Promise<Answer>;
  /** Rows of one that failed. */
  rowsSoFar?: () => number | undefined;
  /** Answers that are kept by what they depend on. */
  remembered?: { find(key: string): Answer | undefined; keep(key: string, answer: Answer): void };
}

/** Finds what a statement may read, performs it, and keeps its record. */
async function recorded<Answer extends Summary>(
  deps: QueryDeps,
  query: Omit<Query, 'rowFormat'>,
  work: Work<Answer>,
): Promise<{ answer: Answer; scanned: QueryResult['scanned']; cached: boolean }> {
  const { organizationId, sql } = query;
  deps.queries.admit(organizationId);
  const startedMs = performance.now();
  const record = {
    organization_id: organizationId,
    id: query.id,
    caller_id: query.callerId,
    owner_id: query.ownerId ?? null,
    sql,
  };
  const prepared = await prepare(deps, query);
  try {
    const known = prepared.key === undefined ? undefined : work.remembered?.find(prepared.key);
    const { answer, scanned } =
      known === undefined
        ? await answered(deps, prepared, work)
        : { answer: known, scanned: scannedAt(prepared, known) };
    const elapsedMs = known === undefined ? answer.elapsedMs : performance.now() - startedMs;
    await deps.history.add({
      ...record,
      status: 'succeeded',
      row_count: answer.rowCount,
      truncated: answer.truncated,
      elapsed_ms: elapsedMs,
      scanned: JSON.stringify(scanned),
    });
    return { answer: { ...answer, elapsedMs }, scanned, cached: known !== undefined };
  } catch (error) {
    if (error instanceof AppError && error.code !== 'queries_saturated') {
      await deps.history.add({
        ...record,
        status: 'failed',
        error_code: error.code,
        error_detail: error.message.slice(0, 2_000),
        row_count: work.rowsSoFar?.() ?? null,
        elapsed_ms: performance.now() - startedMs,
      });
    }
    throw error;
  }
}

async function answered<Answer extends Summary>(
  deps: QueryDeps,
  prepared: Prepared,
  { perform, remembered }: Work<Answer>,
): Promise<{ answer: Answer; scanned: QueryResult['scanned'] }> {
  const { plain, key } = prepared;
  const plainly = plain && (await perform(plain.statement).catch(unlessOfTheWay));
  if (plainly === undefined) {
    const answer = await perform(prepared.statement);
    return { answer, scanned: await scannedVersions(deps, prepared, answer) };
  }
  if (key !== undefined) remembered?.keep(key, plainly);
  return { answer: plainly, scanned: scannedAt(prepared, plainly) };
}

/**
 * Nothing if names in a statement may mean something else when tables are read by their files. It has read
 * nothing by then, is run again as usual, and fails with DuckLake's own words if it fails.
 *
 * @throws any other failure
 */
function unlessOfTheWay(error: unknown): undefined {
  const { code, message } = error instanceof AppError ? error : { code: '', message: '' };
  if (code !== 'query_failed' || !/^(Binder Error|A name in)/.test(message)) throw error;
}

/** The version of each table read, as it was when the statement was prepared. */
function scannedAt({ plain, tableIds }: Prepared, answer: Summary): QueryResult['scanned'] {
  return answer.scannedRelationIds
    .filter((id) => tableIds.has(id))
    .map((tableId) => ({ tableId, version: plain?.versions.get(tableId) ?? answer.snapshotId }));
}

/** The version of each table read: the requested one, or its newest at the statement's snapshot. */
async function scannedVersions(
  deps: QueryDeps,
  { lake, atVersions, tableIds }: Prepared,
  answer: Summary,
): Promise<QueryResult['scanned']> {
  const scanned = answer.scannedRelationIds.filter((id) => tableIds.has(id));
  if (scanned.length === 0) return [];
  const asked = new Map([...atVersions].map(([table, { version }]) => [table.id, version]));
  const newest = await versionsAt(deps.lake.catalogPool, lake.schema, scanned, answer.snapshotId);
  return scanned.map((tableId) => ({
    tableId,
    version: asked.get(tableId) ?? newest.get(tableId) ?? answer.snapshotId,
  }));
}
