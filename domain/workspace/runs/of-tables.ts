import { sql } from 'kysely';
import { notFound } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { runKind } from './kinds.ts';
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
  type === 'table' && id === tableId && runKind(kind).isAboutTable === true;

/** The newest materializations that were started for this table. */
export async function listTableRuns(
  db: OrganizationTransaction,
  organizationId: string,
  tableId: string,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<ShownRun[]> {
  let query = db
    .selectFrom('runs')
    .innerJoin('materializations', (join) =>
      join
        .onRef('materializations.organization_id', '=', 'runs.organization_id')
        .onRef('materializations.id', '=', 'runs.id'),
    )
    .selectAll('runs')
    .where('materializations.organization_id', '=', organizationId)
    .where('materializations.table_id', '=', tableId);
  // Ids of builds that follow a change have the time of the change.
  if (after !== undefined)
    query = query.where(
      sql<boolean>`(materializations.created_at, materializations.id) < (
        SELECT earlier.created_at, earlier.id FROM materializations AS earlier
        WHERE earlier.organization_id = ${organizationId} AND earlier.id = ${after})`,
    );
  const runs = await query
    .orderBy('materializations.created_at', 'desc')
    .orderBy('materializations.id', 'desc')
    .limit(limit)
    .execute();
  return withProblems(db, organizationId, runs);
}
