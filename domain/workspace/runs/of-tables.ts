import { notFound } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { findRun, type Run } from './runs.ts';
import { type ShownRun, withProblem, withProblems } from './show.ts';

/** A run about this table. @throws AppError not_found */
export async function getTableRun(
  db: OrganizationTransaction,
  organizationId: string,
  { tableId, runId }: { tableId: string; runId: string },
): Promise<ShownRun> {
  const run = await findRun(db, organizationId, runId);
  if (run === undefined || !isAbout(run, tableId)) throw notFound('The run');
  return withProblem(db, organizationId, run);
}

const isAbout = ({ resource_type: type, resource_id: id, kind }: Run, tableId: string): boolean =>
  type === 'table' && id === tableId && (kind === 'materialize' || kind === 'profile');

const mostListed = 100;

/** The newest materializations that were started for this table. */
export async function listTableRuns(
  db: OrganizationTransaction,
  organizationId: string,
  tableId: string,
): Promise<ShownRun[]> {
  const runs = await db
    .selectFrom('runs')
    .innerJoin('materializations', (join) =>
      join
        .onRef('materializations.organization_id', '=', 'runs.organization_id')
        .onRef('materializations.id', '=', 'runs.id'),
    )
    .selectAll('runs')
    .where('materializations.organization_id', '=', organizationId)
    .where('materializations.table_id', '=', tableId)
    .orderBy('materializations.created_at', 'desc')
    .limit(mostListed)
    .execute();
  return withProblems(db, organizationId, runs);
}
