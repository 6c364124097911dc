import { analystAgentActivities } from '../activities/analyst/agent.ts';
import { analystControlActivities } from '../activities/analyst/control.ts';
import { workflowRunAgentActivities } from '../activities/automation/agent.ts';
import { automationControlActivities } from '../activities/automation/control.ts';
import type { ActivityDeps } from '../activities/deps.ts';
import { intakeControlActivities } from '../activities/intake/control.ts';
import { intakeLakeActivities } from '../activities/intake/lake.ts';
import { deliveryAgentActivities } from '../activities/publishing/agent.ts';
import { deliveryControlActivities } from '../activities/publishing/control.ts';
import { tablesControlActivities } from '../activities/tables/control.ts';
import { tablesLakeActivities } from '../activities/tables/lake.ts';
import { appHealthAgentActivities } from '../activities/workspace/agent.ts';
import { workspaceControlActivities } from '../activities/workspace/control.ts';
import { organizationDeletionLakeActivities } from '../activities/workspace/lake.ts';

/** Every activity, by task queue. */
export function activitiesOf(
  deps: ActivityDeps,
  lakeMaintenance: { intervalSeconds: number; retentionDays: number },
  agent: { turnsPerOrganization: number },
) {
  return {
    control: {
      ...analystControlActivities(deps),
      ...automationControlActivities(deps),
      ...intakeControlActivities(deps),
      ...deliveryControlActivities(deps),
      ...tablesControlActivities(deps, lakeMaintenance),
      ...workspaceControlActivities(deps),
    },
    lake: {
      ...intakeLakeActivities(deps),
      ...tablesLakeActivities(deps, lakeMaintenance),
      ...organizationDeletionLakeActivities(deps),
    },
    agent: {
      ...analystAgentActivities(deps, agent),
      ...workflowRunAgentActivities(deps),
      ...deliveryAgentActivities(deps),
      ...appHealthAgentActivities(deps),
    },
  };
}
