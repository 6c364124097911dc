import { AppError } from '../../../data/errors.ts';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import { versionsAt } from '../../../data/lake/ledger.ts';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import type { RowFormat, StreamFormat } from '../../../packages/row-formats/index.ts';
import { withParameters } from '../../../packages/sql-guard/index.ts';
import { actAs } from '../../workspace/organizations/rights.ts';
import { listQueryable, type NamedTable } from '../tables/registry.ts';
import { type AskedVersion, askedVersions } from './asked-versions.ts';
import type { QueryPool } from './pool/pool.ts';
import { recordQueryExecution } from './query-executions.ts';
import { relationsFor } from './relations.ts';
import type { QueryAnswer, QueryRelation, QueryRequest, SqlValues } from './request.ts';
import type { OnPiece, Streamed } from './stream/contract.ts';

export interface QueryDeps {
  db: Database;
  lake: Pick<LakeDeps, 'catalog' | 'catalogPool'>;
  queries: QueryPool;
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
  limit: number;
  timeoutMs: number;
  rowFormat: RowFormat;
  /** Version by table id or name. */
  atVersions: Readonly<Record<string, number>>;
  /** Ids of the tables that it may read; all by default. */
  within?: ReadonlySet<string>;
  /** Named SELECTs, which hide tables of the same names. */
  views?: readonly QueryRelation[];
}

export interface QueryResult {
  answer: QueryAnswer;
  /** The tables that were read, with the version of each. */
  scanned: { tableId: string; version: number }[];
}

/**
 * Runs one statement in a query process, and keeps its record.
 *
 * @throws AppError with one of the query codes, ValidationError where `atVersions` names no table
 */
export function runQuery(deps: QueryDeps, query: Query, signal: AbortSignal): Promise<QueryResult> {
  const { limit, timeoutMs, rowFormat } = query;
  return recorded(deps, query, (statement) =>
    deps.queries.run({ ...statement, limit, timeoutMs, rowFormat, signal }),
  );
}

/** How the rows of a statement are handed on. */
export interface RowStream {
  format: StreamFormat;
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
  const { answer } = await recorded(
    deps,
    query,
    (statement) =>
      deps.queries.perform(
        { kind: 'stream', ...statement, limit, format },
        { timeoutMs, signal, onPiece: counted },
      ),
    () => rowCount,
  );
  return answer;
}

type Statement = Pick<QueryRequest, 'location' | 'relations' | 'sql' | 'atVersions'> &
  Required<Pick<QueryRequest, 'parameters' | 'tableSources'>>;

/** What an answer says besides its rows. */
type Summary = Pick<
  QueryAnswer,
  'rowCount' | 'truncated' | 'elapsedMs' | 'scannedRelationIds' | 'snapshotId'
>;

/**
 * Finds what a statement may read, performs it, and keeps its record.
 *
 * @param rowsSoFar Of one that failed
 */
async function recorded<Answer extends Summary>(
  deps: QueryDeps,
  query: Omit<Query, 'rowFormat'>,
  perform: (statement: Statement) => Promise<Answer>,
  rowsSoFar: () => number | undefined = () => undefined,
): Promise<{ answer: Answer; scanned: QueryResult['scanned'] }> {
  const { organizationId, id, sql, views = [] } = query;
  deps.queries.admit(organizationId);
  const parameterized = withParameters(sql, query.values ?? new Map());
  const startedMs = performance.now();
  const record = {
    organization_id: organizationId,
    id,
    caller_id: query.callerId,
    owner_id: query.ownerId ?? null,
    sql,
  };
  const lake = await deps.lake.catalog.get(organizationId);
  const { named, relations } = await inOrganization(deps.db, organizationId, async (db) => {
    await actAs(db, organizationId, query.actsFor ?? query.callerId);
    const all = await listQueryable(db, organizationId);
    const named = query.within === undefined ? all : all.filter(({ id }) => query.within?.has(id));
    // What may name nothing of its own, such as rows that were kept, may be megabytes long.
    const reading = [...parameterized.relations, ...views].filter(({ reads }) => reads?.length !== 0);
    const texts = [sql, ...reading.map(({ definition }) => definition ?? '')];
    return { named, relations: await relationsFor(db, organizationId, named, texts) };
  });
  const tables = named.filter(({ kind }) => kind !== 'view');
  const atVersions = await askedVersions(deps.lake, lake.schema, tables, query.atVersions);
  try {
    const answer = await perform({
      location: lake.reader,
      ...parameterized,
      relations: [...relations, ...views, ...parameterized.relations],
      atVersions: new Map([...atVersions].map(([table, { snapshotId }]) => [table.name, snapshotId])),
    });
    const known = new Set(tables.map((table) => table.id));
    const scanned = await scannedVersions(deps, lake.schema, answer, atVersions, known);
    await recordQueryExecution(deps.db, {
      ...record,
      status: 'succeeded',
      row_count: answer.rowCount,
      truncated: answer.truncated,
      elapsed_ms: answer.elapsedMs,
      scanned: JSON.stringify(scanned),
    });
    return { answer, scanned };
  } catch (error) {
    if (error instanceof AppError && error.code !== 'queries_saturated') {
      await recordQueryExecution(deps.db, {
        ...record,
        status: 'failed',
        error_code: error.code,
        error_detail: error.message.slice(0, 2_000),
        row_count: rowsSoFar() ?? null,
        elapsed_ms: performance.now() - startedMs,
      });
    }
    throw error;
  }
}

/** The version of each table read: the requested one, or its newest at the statement's snapshot. */
async function scannedVersions(
  deps: QueryDeps,
  schema: string,
  answer: Summary,
  atVersions: ReadonlyMap<NamedTable, AskedVersion>,
  known: ReadonlySet<string>,
): Promise<{ tableId: string; version: number }[]> {
  const tableIds = answer.scannedRelationIds.filter((id) => known.has(id));
  if (tableIds.length === 0) return [];
  const asked = new Map([...atVersions].map(([table, { version }]) => [table.id, version]));
  const newest = await versionsAt(deps.lake.catalogPool, schema, tableIds, answer.snapshotId);
  return tableIds.map((tableId) => ({
    tableId,
    version: asked.get(tableId) ?? newest.get(tableId) ?? answer.snapshotId,
  }));
}
