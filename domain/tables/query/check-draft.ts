import { type SqlValues, withParameters } from './parameters.ts';
import type { QueryDeps } from './run.ts';

const timeoutMs = 10_000;

/**
 * Checks a statement as one that is run is checked, but for the tables that it names: those may be made
 * later, and are what it gives. It leaves no record.
 *
 * @throws AppError with one of the query codes
 */
export async function checkDraftSql(
  { lake, queries }: Pick<QueryDeps, 'lake' | 'queries'>,
  {
    organizationId,
    sql,
    values,
    signal,
  }: { organizationId: string; sql: string; values: SqlValues; signal: AbortSignal },
): Promise<readonly string[]> {
  const { reader: location } = await lake.catalog.get(organizationId);
  const nothing = { limit: 0, rowFormat: 'rows', atVersions: new Map() } as const;
  const { namedTables = [] } = await queries.run({
    ...{ ...nothing, location, timeoutMs, signal },
    ...withParameters(sql, values),
    onlyCheck: true,
  });
  return namedTables;
}
