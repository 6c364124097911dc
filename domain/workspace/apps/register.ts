import type { Logger } from 'pino';
import type { Outgoing } from '../../../data/outgoing/outgoing.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import type { ProcessDeps } from '../../../data/processes/processes.ts';
import { healthAddress, refuseUnreachable } from './address.ts';
import { type DeployedApp, deleteApp, putApp } from './apps.ts';
import type { AppCheck } from './check.ts';
import { healthAfter, unchecked } from './health.ts';
import { notifyOfRemoval, wakeAppHealth } from './process.ts';

interface AppDeps extends ProcessDeps {
  logger: Pick<Logger, 'warn'>;
}

export interface AppRegistration {
  organizationId: string;
  slug: string;
  name: string;
  url: string;
  version: string;
  environment: string;
  healthPath: string;
  description: string | null;
  callerId: string;
}

/**
 * Asks the health address of the app once, and adds the app with what that gave, or replaces the one with its
 * slug: an app that is replaced is live again from its own first 2xx. The row says when the next check is
 * due, so a process that cannot be woken now is started by the reconciler.
 *
 * @throws ValidationError at `url` for an address that may not be reached; AppError conflict
 */
export async function registerApp(
  deps: AppDeps & { outgoing: Pick<Outgoing, 'checkAddress'>; check: AppCheck },
  registration: AppRegistration,
): Promise<{ app: DeployedApp; isNew: boolean }> {
  const { organizationId, slug, healthPath, callerId, ...rest } = registration;
  await refuseUnreachable(deps.outgoing, rest.url);
  const outcome = await deps.check(organizationId, healthAddress(registration));
  const put = await inOrganization(deps.db, organizationId, (db) =>
    putApp(db, organizationId, slug, {
      ...rest,
      health_path: healthPath,
      deployed_by: callerId,
      deployed_at: new Date(),
      ...healthAfter(unchecked, outcome),
    }),
  );
  await wakeAppHealth(deps, organizationId);
  return put;
}

/** Removes an app; returns it as it was. @throws AppError not_found */
export async function removeApp(deps: AppDeps, organizationId: string, slug: string): Promise<DeployedApp> {
  const app = await inOrganization(deps.db, organizationId, (db) => deleteApp(db, organizationId, slug));
  await notifyOfRemoval(deps, organizationId);
  return app;
}
