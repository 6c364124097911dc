import { agentRunAgentActivities } from '../activities/agent-run/agent.ts';
import { agentRunControlActivities } from '../activities/agent-run/control.ts';
import { conversationAgentActivities } from '../activities/conversation/agent.ts';
import { conversationControlActivities } from '../activities/conversation/control.ts';
import type { ActivityDeps } from '../activities/deps.ts';
import { ingestionBatchControlActivities } from '../activities/ingestion-batch/control.ts';
import { ingestionBatchLakeActivities } from '../activities/ingestion-batch/lake.ts';
import { lakeMaintenanceControlActivities } from '../activities/lake-maintenance/control.ts';
import { lakeMaintenanceLakeActivities } from '../activities/lake-maintenance/lake.ts';
import { tableImportControlActivities } from '../activities/table-import/control.ts';
import { tableImportLakeActivities } from '../activities/table-import/lake.ts';

/** Every activity, by the queue that it is taken from. */
export function activitiesOf(
  deps: ActivityDeps,
  lakeMaintenance: { intervalSeconds: number; retentionDays: number },
  agent: { turnsPerOrganization: number },
) {
  return {
    control: {
      ...ingestionBatchControlActivities(deps),
      ...tableImportControlActivities(deps),
      ...lakeMaintenanceControlActivities(deps, lakeMaintenance),
      ...conversationControlActivities(deps),
      ...agentRunControlActivities(deps),
    },
    lake: {
      ...ingestionBatchLakeActivities(deps),
      ...tableImportLakeActivities(deps),
      ...lakeMaintenanceLakeActivities(deps, lakeMaintenance),
    },
    agent: { ...conversationAgentActivities(deps, agent), ...agentRunAgentActivities(deps) },
  };
}
