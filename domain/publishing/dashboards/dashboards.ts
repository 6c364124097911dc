import { sql } from 'kysely';
import { notFound, ValidationError } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { listFitting } from '../../../data/postgres/page-bytes.ts';
import { type RecordOf, type RowLock, records, type Slice } from '../../../data/postgres/records.ts';
import type { Document } from '../../../data/postgres/schema.ts';
import { limits } from '../../workspace/limits/limits.ts';
import { refuseBeyond } from '../../workspace/limits/refuse.ts';
import { getOpenProject } from '../../workspace/projects/projects.ts';
import { refuseStaleRevision, savedQueriesOf } from '../saved-queries/saved-queries.ts';
import { type Filter, layoutFaults, type Tile } from './layout.ts';

export type Dashboard = RecordOf<'dashboards'>;

declare module '../../../data/postgres/schema.ts' {
  interface Documents {
    dashboards: { tiles: Document<Tile[]>; filters: Document<Filter[]> };
  }
}

declare module '../../../data/ids.ts' {
  interface IdPrefixes {
    dsh: 'dashboards';
    /** A tile within a dashboard. */
    til: 'dashboards';
  }
}

const dashboards = records('dashboards', { prefix: 'dsh', what: 'The dashboard' });

export const { find: findDashboard, get: getAnyDashboard } = dashboards;

/** What its author writes. */
export interface DashboardContent {
  name: string;
  description: string;
  tiles: Tile[];
  filters: Filter[];
}

export async function getDashboard(
  db: OrganizationTransaction,
  organizationId: string,
  projectId: string,
  id: string,
  lock?: RowLock,
): Promise<Dashboard> {
  const row = await dashboards.get(db, organizationId, id, lock);
  if (row.project_id !== projectId) throw notFound('The dashboard');
  return row;
}

/** Newest first, with the number that fits a page. */
export function listDashboards(
  db: OrganizationTransaction,
  organizationId: string,
  projectId: string,
  slice: Slice,
): Promise<{ rows: Dashboard[]; shown: number }> {
  const bytes = sql<number>`octet_length(tiles::text) + octet_length(filters::text)`;
  const of = { organizationId, projectId };
  return listFitting(db, { table: 'dashboards', bytes, list: dashboards.list }, of, slice);
}

export interface NewDashboard extends DashboardContent {
  organizationId: string;
  projectId: string;
  id: string;
  createdBy: string;
}

/** Adds a dashboard; with an existing id, returns that dashboard. */
export async function insertDashboard(
  db: OrganizationTransaction,
  dashboard: NewDashboard,
): Promise<Dashboard> {
  const { organizationId, projectId, id, createdBy } = dashboard;
  await getOpenProject(db, organizationId, projectId);
  const earlier = await dashboards.find(db, organizationId, id);
  if (earlier !== undefined) return earlier;
  await checkLayout(db, { organizationId, projectId }, dashboard, []);
  refuseBeyond(limits.dashboards.dashboards, await count(db, organizationId, projectId));
  return dashboards.insert(db, {
    organization_id: organizationId,
    id,
    project_id: projectId,
    created_by: createdBy,
    ...columnsOf(dashboard),
  });
}

/** Writes the next revision of a dashboard locked by the transaction. */
export async function reviseDashboard(
  db: OrganizationTransaction,
  before: Dashboard,
  change: Partial<DashboardContent>,
  expectedRevision: number | undefined,
): Promise<Dashboard> {
  const {
    organization_id: organizationId,
    project_id: projectId,
    name,
    description,
    tiles,
    filters,
  } = before;
  await getOpenProject(db, organizationId, projectId);
  refuseStaleRevision('dashboard', before.revision, expectedRevision);
  const content = { name, description, tiles, filters, ...change };
  if (change.tiles !== undefined || change.filters !== undefined)
    await checkLayout(db, { organizationId, projectId }, content, tiles);
  return dashboards.update(db, organizationId, before.id, {
    ...columnsOf(content),
    revision: before.revision + 1,
    updated_at: new Date(),
  });
}

export async function deleteDashboard(db: OrganizationTransaction, row: Dashboard): Promise<Dashboard> {
  await dashboards.remove(db, row.organization_id, row.id);
  return row;
}

/**
 * A query that was deleted may stay in the tiles that had it before: otherwise nothing else could be changed.
 *
 * @throws AppError not_found if a tile names a query that isn't in the project, ValidationError
 */
async function checkLayout(
  db: OrganizationTransaction,
  { organizationId, projectId }: { organizationId: string; projectId: string },
  { tiles, filters }: DashboardContent,
  before: readonly Tile[],
): Promise<void> {
  const ids = tiles.flatMap(({ queryId }) => queryId ?? []);
  const queries = await savedQueriesOf(db, organizationId, projectId, ids);
  const kept = new Set(before.map(({ queryId }) => queryId));
  if (ids.some((id) => !queries.has(id) && !kept.has(id))) throw notFound('The query');
  const faults = layoutFaults(tiles, filters, queries);
  if (faults.length > 0) throw new ValidationError(faults);
}

const columnsOf = ({ name, description, tiles, filters }: DashboardContent) => ({
  name,
  description,
  tiles: JSON.stringify(tiles),
  filters: JSON.stringify(filters),
});

async function count(
  db: OrganizationTransaction,
  organizationId: string,
  projectId: string,
): Promise<number> {
  const { total } = await db
    .selectFrom('dashboards')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('organization_id', '=', organizationId)
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  return Number(total);
}
