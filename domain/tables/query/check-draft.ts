import { type SqlValues, withParameters } from './parameters.ts';
import type { QueryDeps } from './run.ts';

/** Checking takes milliseconds; on a busy machine the process for it may take seconds to start. */
const timeoutMs = 30_000;

/**
 * Checks a statement like one that is run, except that its tables need not exist yet. Returns the names of
 * those tables. It is not recorded in the history.
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
