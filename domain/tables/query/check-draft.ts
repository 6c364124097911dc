import { AppError } from '../../../data/errors.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import { withParameters } from '../../../packages/sql-guard/index.ts';
import { actAs } from '../../workspace/organizations/rights.ts';
import { listQueryable } from '../tables/registry.ts';
import { relationsFor } from './relations.ts';
import type { SqlValues } from './request.ts';
import type { QueryDeps } from './run.ts';

/** Checking takes milliseconds; on a busy machine the process for it may take seconds to start. */
const timeoutMs = 30_000;

/** A statement that is not run, and so not recorded in the history. */
export interface DraftSql {
  organizationId: string;
  sql: string;
  values: SqlValues;
  signal: AbortSignal;
}

const nothing = { limit: 0, rowFormat: 'rows', atVersions: new Map(), timeoutMs } as const;

/**
 * Checks a statement like one that is run, except that its tables need not exist. Returns the names of those
 * tables.
 *
 * @throws AppError with one of the query codes
 */
export async function checkDraftSql(
  { lake, queries }: Pick<QueryDeps, 'lake' | 'queries'>,
  { organizationId, sql, values, signal }: DraftSql,
): Promise<readonly string[]> {
  const { reader: location } = await lake.catalog.get(organizationId);
  const statement = { ...nothing, ...withParameters(sql, values), location, signal };
  const { namedTables = [] } = await queries.run({ ...statement, onlyCheck: 'form' });
  return namedTables;
}

/** What a parameter without a value leaves open: only names are then certain to be wrong. */
const wrongName =
  /^Binder Error: (?:Referenced (?:column|table) |Table "[^"]*" does not have a column|Values list "[^"]*" does not have a column|Ambiguous reference )/;

const neverBuilt = /^The calculated table .* was never built: /;

/**
 * Why the engine cannot find what a statement names, with the rights of `actsFor`; undefined if it finds all.
 * Nothing is read.
 *
 * @throws AppError if it cannot be asked
 */
export async function nameFault(
  { db, lake, queries }: QueryDeps,
  { organizationId, sql, values, signal, actsFor }: DraftSql & { actsFor: string },
): Promise<string | undefined> {
  const parameterized = withParameters(sql, values);
  // A table that a value names is not known yet.
  if (parameterized.tableSources.length > 0) return undefined;
  const { reader: location } = await lake.catalog.get(organizationId);
  const relations = await inOrganization(db, organizationId, async (transaction) => {
    await actAs(transaction, organizationId, actsFor);
    return relationsFor(transaction, organizationId, await listQueryable(transaction, organizationId), [sql]);
  });
  try {
    const statement = { ...nothing, ...parameterized, location, signal };
    await queries.run({
      ...statement,
      relations: [...relations, ...parameterized.relations],
      onlyCheck: 'names',
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'query_failed')) throw error;
    const isCertain = parameterized.parameters.length === 0 || wrongName.test(error.message);
    // A view may read a calculated table that is built later.
    return isCertain && !neverBuilt.test(error.message) ? error.message : undefined;
  }
}
