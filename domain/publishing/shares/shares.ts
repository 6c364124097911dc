import { hashSecret, newSecret } from '../../../data/encryption.ts';
import { notFound } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type RecordOf, records } from '../../../data/postgres/records.ts';
import { limits } from '../../workspace/limits/limits.ts';
import { refuseBeyond } from '../../workspace/limits/refuse.ts';
import { getOpenProject } from '../../workspace/projects/projects.ts';
import { getAnyDashboard } from '../dashboards/dashboards.ts';
import { findReport, withheldFrom } from '../reports/reports.ts';
import { getAnySavedQuery } from '../saved-queries/saved-queries.ts';

export type Share = RecordOf<'shares'>;
export type ResourceType = Share['resource_type'];

declare module '../../../data/ids.ts' {
  interface IdPrefixes {
    shr: 'shares';
  }
}

const shares = records('shares', { prefix: 'shr', what: 'The share' });

export const { find: findShare, get: getShare, list: listShares } = shares;

/** Ended ones stay in the list for so long. */
const keptMs = 30 * 86_400_000;

export interface NewShare {
  organizationId: string;
  id: string;
  type: ResourceType;
  resourceId: string;
  expiresAt: Date;
  embedOrigins: string[];
  openFilters: boolean;
  createdBy: string;
}

/**
 * A new share and the secret of its link. A repeated attempt finds its share and makes a new secret, because
 * the first one was never shown.
 *
 * @throws AppError not_found if the maker can't read the resource
 */
export async function makeShare(
  db: OrganizationTransaction,
  share: NewShare,
): Promise<{ share: Share; secret: string }> {
  const { organizationId, id } = share;
  const projectId = await projectOf(db, share);
  await getOpenProject(db, organizationId, projectId);
  const secret = newSecret('wsh');
  const earlier = await shares.find(db, organizationId, id, 'update');
  if (earlier !== undefined)
    return { share: await shares.update(db, organizationId, id, { token_hash: hashSecret(secret) }), secret };
  await removeOld(db, organizationId);
  refuseBeyond(limits.shares.shares, await countOpen(db, organizationId));
  const row = await shares.insert(db, {
    organization_id: organizationId,
    id,
    token_hash: hashSecret(secret),
    resource_type: share.type,
    resource_id: share.resourceId,
    project_id: projectId,
    expires_at: share.expiresAt,
    embed_origins: share.embedOrigins,
    open_filters: share.openFilters,
    created_by: share.createdBy,
  });
  return { share: row, secret };
}

/** Ends a link; revoking twice changes nothing. */
export async function revokeShare(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
): Promise<Share> {
  const share = await shares.get(db, organizationId, id, 'update');
  if (share.revoked_at !== null) return share;
  return shares.update(db, organizationId, id, { revoked_at: new Date() });
}

/** The project of what is shared, so that the share ends with it. */
async function projectOf(
  db: OrganizationTransaction,
  { organizationId, type, resourceId }: NewShare,
): Promise<string> {
  if (type === 'dashboard') return (await getAnyDashboard(db, organizationId, resourceId)).project_id;
  if (type === 'query') return (await getAnySavedQuery(db, organizationId, resourceId)).project_id;
  const report = await findReport(db, organizationId, resourceId);
  if (report === undefined || (await withheldFrom(db))(report)) throw notFound('The report');
  return report.project_id;
}

async function countOpen(db: OrganizationTransaction, organizationId: string): Promise<number> {
  const { total } = await db
    .selectFrom('shares')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('organization_id', '=', organizationId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', new Date())
    .executeTakeFirstOrThrow();
  return Number(total);
}

async function removeOld(db: OrganizationTransaction, organizationId: string): Promise<void> {
  const before = new Date(Date.now() - keptMs);
  await db
    .deleteFrom('shares')
    .where('organization_id', '=', organizationId)
    .where(({ or, eb }) => or([eb('revoked_at', '<', before), eb('expires_at', '<', before)]))
    .execute();
}
