import type { CatalogSession } from '../../../../packages/postgres-dialect/index.ts';
import type { PostgresFormat } from '../../../../packages/row-formats/index.ts';
import type { CellValue } from '../request.ts';
import type { QueryDeps } from '../run.ts';
import type { OnPiece } from '../stream/contract.ts';
import type { CatalogContent } from './content.ts';
import type { CatalogAnswer } from './contract.ts';

/** A statement about the catalog, as a caller gives it. */
export interface CatalogQuery {
  organizationId: string;
  content: CatalogContent;
  sql: string;
  session: CatalogSession;
  values: ReadonlyMap<string, CellValue>;
  limit: number;
  timeoutMs: number;
  /** Undefined to describe the statement. */
  format: PostgresFormat | undefined;
}

/**
 * Runs a statement about the catalog in a query process. The history has no record of it: clients send dozens
 * of them before each query of a person.
 *
 * @throws AppError with one of the query codes
 */
export async function queryCatalog(
  { lake, queries }: Pick<QueryDeps, 'lake' | 'queries'>,
  query: CatalogQuery,
  { onPiece, signal }: { onPiece?: OnPiece; signal: AbortSignal },
): Promise<CatalogAnswer> {
  const { organizationId, content, sql, session, values, limit, format, timeoutMs } = query;
  queries.admit(organizationId);
  const { reader } = await lake.catalog.get(organizationId);
  const { catalog: _, ...location } = reader;
  return queries.perform(
    {
      ...{ kind: 'catalog' as const, location, names: content.names, sql, session, limit, format },
      plain: { tables: content.tables, snapshotId: 0, ways: new Map() },
      parameters: [...values].map(([name, value]) => ({ name, source: `$${name}`, value })),
    },
    { timeoutMs, signal, ...(onPiece === undefined ? {} : { onPiece }) },
  );
}
