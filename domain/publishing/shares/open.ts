import { sql } from 'kysely';
import { hashSecret } from '../../../data/encryption.ts';
import { nobody, restrictTo } from '../../../data/postgres/acting.ts';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import { principalFor } from '../../workspace/organizations/rights.ts';
import { findProject } from '../../workspace/projects/projects.ts';
import { type Dashboard, findDashboard } from '../dashboards/dashboards.ts';
import { findReport, type Report, withheldFrom } from '../reports/reports.ts';
import { getVersion, type ReportVersion } from '../reports/versions.ts';
import { findSavedQuery, type SavedQuery } from '../saved-queries/saved-queries.ts';
import { findShare, type Share } from './shares.ts';

export type Shared =
  | { type: 'dashboard'; dashboard: Dashboard }
  | { type: 'query'; query: SavedQuery }
  | { type: 'report'; report: Report; version: ReportVersion };

/** A look changes the row at most so often. */
const lookEveryMs = 60_000;

/**
 * What the link with this secret shows now. Undefined if it is unknown, was revoked or has expired, or if its
 * maker, what it shows or its project is gone, or isn't for its maker to read any more.
 */
export async function openShare(
  db: Database,
  secret: string,
): Promise<{ share: Share; shared: Shared } | undefined> {
  if (!/^wsh_[\w-]{43}$/.test(secret)) return undefined;
  const { rows } = await sql<{ organization_id: string; id: string }>`
    SELECT * FROM find_share(${hashSecret(secret)})`.execute(db);
  const [found] = rows;
  if (found === undefined) return undefined;
  const { organization_id: organizationId, id } = found;
  return inOrganization(db, organizationId, async (transaction) => {
    const share = await findShare(transaction, organizationId, id);
    if (share === undefined || share.revoked_at !== null || share.expires_at.getTime() <= Date.now())
      return undefined;
    const principal = await principalFor(transaction, organizationId, share.created_by);
    if (principal === nobody) return undefined;
    const project = await findProject(transaction, organizationId, share.project_id);
    if (project === undefined || project.archived_at !== null) return undefined;
    await restrictTo(transaction, principal);
    const shared = await sharedBy(transaction, share);
    if (shared === undefined) return undefined;
    if ((share.last_used_at?.getTime() ?? 0) < Date.now() - lookEveryMs)
      await transaction
        .updateTable('shares')
        .set({ last_used_at: new Date() })
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .execute();
    return { share, shared };
  });
}

async function sharedBy(
  db: OrganizationTransaction,
  { organization_id: organizationId, resource_type: type, resource_id: id }: Share,
): Promise<Shared | undefined> {
  if (type === 'dashboard') {
    const dashboard = await findDashboard(db, organizationId, id);
    return dashboard && { type, dashboard };
  }
  if (type === 'query') {
    const query = await findSavedQuery(db, organizationId, id);
    return query && { type, query };
  }
  const report = await findReport(db, organizationId, id);
  if (report === undefined) return undefined;
  const version = await getVersion(db, report);
  return (await withheldFrom(db))(version) ? undefined : { type, report, version };
}
