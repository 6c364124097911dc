import { newId } from '../../data/ids.ts';
import { queryCatalog } from '../../domain/tables/query/postgres/catalog-query.ts';
import type { CatalogAnswer } from '../../domain/tables/query/postgres/contract.ts';
import type { CellValue } from '../../domain/tables/query/request.ts';
import { describeQuery, type Query, streamQuery } from '../../domain/tables/query/run.ts';
import type { OnPiece } from '../../domain/tables/query/stream/contract.ts';
import { limits } from '../../domain/workspace/limits/limits.ts';
import type { FieldDescription } from '../../packages/postgres-protocol/index.ts';
import type { CopyOptions, PostgresFormat } from '../../packages/row-formats/index.ts';
import type { Session } from './context.ts';
import { createRowCursor, type Pulled, type RowCursor } from './row-cursor.ts';

/** Rows of an answer, and the longest time of a statement: those of a stream over HTTP. */
export const mostRows = limits.postgres.rows.most;
const mostTimeMs = 120_000;

/** A statement with the values of its parameters, by number. */
export interface EngineStatement {
  sql: string;
  values: ReadonlyMap<string, CellValue>;
  isCatalog?: boolean;
}

export interface RowForm {
  binary: readonly boolean[];
  describes: boolean;
  expected?: readonly number[] | undefined;
  copy?: CopyOptions;
}

export async function describeRows(
  session: Session,
  statement: EngineStatement,
): Promise<{ fields: FieldDescription[]; parameters: Record<string, number> }> {
  if (statement.isCatalog === true) {
    const { columns, parameters } = await askCatalog(session, statement, undefined, session.signal());
    return { fields: columns, parameters };
  }
  const query = await queryOf(session, statement);
  const { columns, parameters } = await describeQuery(session.deps, query, session.signal());
  return { fields: columns, parameters };
}

/** The rows of a statement, which runs when the first are pulled. */
export function openRows(session: Session, statement: EngineStatement, form: RowForm): RowCursor {
  return createRowCursor(async (onPiece, ending) => {
    const signal = AbortSignal.any([session.signal(), session.connection.closed, ending]);
    const format = { kind: 'postgres' as const, ...form };
    if (statement.isCatalog === true) return askCatalog(session, statement, format, signal, onPiece);
    const query = { ...(await queryOf(session, statement)), id: newId('qry'), limit: mostRows };
    return streamQuery(session.deps, query, { format, onPiece }, signal);
  });
}

/**
 * Sends rows, or leaves them out, until the client cancels the statement. All that are left if `most` is 0.
 */
export async function pullRows(
  session: Session,
  rows: RowCursor,
  most: number,
  skips = false,
): Promise<Pulled> {
  const { connection } = session;
  const signal = session.signal();
  const stop = () => rows.close();
  signal.addEventListener('abort', stop);
  try {
    return await rows.pull(most, async (bytes) => {
      if (skips) return;
      connection.send(bytes);
      await connection.flush();
    });
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

export function noteCut(session: Session): void {
  const message = `The answer has more rows; the first ${mostRows} were sent.`;
  session.notify({ severity: 'WARNING', sqlState: '01004', message });
}

async function askCatalog(
  session: Session,
  { sql, values }: EngineStatement,
  format: PostgresFormat | undefined,
  signal: AbortSignal,
  onPiece?: OnPiece,
): Promise<CatalogAnswer> {
  const { deps, caller, database, user, processId, settings } = session;
  const query = {
    ...{ organizationId: caller.organizationId, content: await session.content(), sql, values, format },
    session: { database, user, processId, settings: settings.all() },
    ...{ limit: mostRows, timeoutMs: mostTimeMs },
  };
  return queryCatalog(deps, query, { signal, ...(onPiece === undefined ? {} : { onPiece }) });
}

async function queryOf(
  { caller, settings, transaction }: Session,
  { sql, values }: EngineStatement,
): Promise<Omit<Query, 'rowFormat' | 'limit' | 'id'>> {
  const query = {
    ...{ organizationId: caller.organizationId, callerId: caller.id, sql, parameters: values },
    timeoutMs: Math.min(settings.statementTimeoutMs() ?? mostTimeMs, mostTimeMs),
    atVersions: {},
  };
  const moment = await transaction.momentFor({ ...query, limit: 1 });
  return moment === undefined ? query : { ...query, moment };
}
