import { inOrganization } from '../../../../data/postgres/client.ts';
import { createAppChecks } from '../../../../domain/workspace/apps/check.ts';
import { checkDueApps } from '../../../../domain/workspace/apps/round.ts';
import type { TestClient, Workspace } from '../../../support/workspace.ts';

export const url = '/v1/sum-apps';

export const bodyOf = (address: string, more: object = {}) => ({
  slug: 'sales',
  name: 'Sales',
  url: address,
  version: '1.0.0',
  ...more,
});

export const slugsOf = async (client: TestClient): Promise<string[]> =>
  (await client.call('GET', url)).body.items.map(({ slug }: { slug: string }) => slug);

/** Makes every app of the organization due since this many seconds. */
export async function makeDue(
  { deps }: Workspace,
  { organizationId }: TestClient,
  sinceSeconds = 0,
): Promise<void> {
  await inOrganization(deps.db, organizationId, (db) =>
    db
      .updateTable('deployed_apps')
      .set({ next_check_at: new Date(Date.now() - sinceSeconds * 1_000) })
      .where('organization_id', '=', organizationId)
      .execute(),
  );
}

/** A round as the process has it, with every app due. */
export async function checkAll(workspace: Workspace, client: TestClient) {
  await makeDue(workspace, client);
  const { db, outgoing } = workspace.deps;
  const check = createAppChecks(outgoing, 16);
  return checkDueApps({ db, check }, client.organizationId, new AbortController().signal);
}

/** What is kept of an app besides its registration. */
export async function keptOf({ deps }: Workspace, { organizationId }: TestClient, slug = 'sales') {
  return inOrganization(deps.db, organizationId, (db) =>
    db
      .selectFrom('deployed_apps')
      .select(['is_live', 'failed_checks', 'last_status', 'revision'])
      .where('organization_id', '=', organizationId)
      .where('slug', '=', slug)
      .executeTakeFirst(),
  );
}
