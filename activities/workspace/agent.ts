import { createAppChecks } from '../../domain/workspace/apps/check.ts';
import { checkDueApps } from '../../domain/workspace/apps/round.ts';
import type { AppHealthAgentActivities } from '../../workflows/workspace/app-health/contract.ts';
import type { ActivityDeps } from '../deps.ts';
import { withHeartbeats } from '../heartbeats.ts';

/** Checks under way in a worker, of all organizations. */
const checksAtOnce = 256;

export function appHealthAgentActivities(
  deps: Pick<ActivityDeps, 'db' | 'outgoing'>,
): AppHealthAgentActivities {
  const check = createAppChecks(deps.outgoing, checksAtOnce);
  return {
    /** Safe to retry: of two attempts that check an app at the same time, one is recorded. */
    checkDueApps: ({ organizationId }) =>
      withHeartbeats({}, {}, (_, signal) => checkDueApps({ db: deps.db, check }, organizationId, signal)),
  };
}
