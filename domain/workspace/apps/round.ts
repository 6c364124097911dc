import pMap from 'p-map';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import type { AppHealthRound } from '../../../workflows/workspace/app-health/contract.ts';
import { healthAddress } from './address.ts';
import { type CheckedApp, countApps, type DeployedApp, listDueApps, recordChecks } from './apps.ts';
import type { AppCheck } from './check.ts';
import { healthAfter } from './health.ts';

interface RoundDeps {
  db: Database;
  check: AppCheck;
}

/** Apps of one round; the next one follows at once. A round in which none answers takes 20 s. */
const appsOfRound = 200;
/** Checks under way for one organization, so that its dead apps do not take the places of all others. */
const lanes = 64;
/** Apps that are due almost now are checked too: those registered shortly after each other stay together. */
const earlyMs = 3_000;

/** Checks apps that are due, records what was found, and says when the next is due. */
export async function checkDueApps(
  { db, check }: RoundDeps,
  organizationId: string,
  signal: AbortSignal,
): Promise<AppHealthRound> {
  const due = await inOrganization(db, organizationId, (transaction) =>
    listDueApps(transaction, organizationId, { by: new Date(Date.now() + earlyMs), limit: appsOfRound }),
  );
  const checked = await checkAll(check, due, signal);
  // A check that was broken off says nothing of its app.
  signal.throwIfAborted();
  const { apps, live, nextCheckAt } = await inOrganization(db, organizationId, async (transaction) => {
    await recordChecks(transaction, organizationId, checked);
    return countApps(transaction, organizationId);
  });
  return { apps, live, waitMs: nextCheckAt && Math.max(0, nextCheckAt.getTime() - Date.now()) };
}

function checkAll(check: AppCheck, due: readonly DeployedApp[], signal: AbortSignal): Promise<CheckedApp[]> {
  const checkOne = async (app: DeployedApp): Promise<CheckedApp> => {
    const { organization_id: organizationId, slug, revision, url, health_path: healthPath } = app;
    const outcome = await check(organizationId, healthAddress({ url, healthPath }), signal);
    return { slug, revision, ...healthAfter(app, outcome) };
  };
  return pMap(due, checkOne, { concurrency: lanes, signal });
}
