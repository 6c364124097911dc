import { agentRunAgentActivities } from '../activities/agent-run/agent.ts';
import { agentRunControlActivities } from '../activities/agent-run/control.ts';
import { conversationAgentActivities } from '../activities/conversation/agent.ts';
import { conversationControlActivities } from '../activities/conversation/control.ts';
import { deliveryAgentActivities } from '../activities/delivery/agent.ts';
import { deliveryControlActivities } from '../activities/delivery/control.ts';
import type { ActivityDeps } from '../activities/deps.ts';
import { ingestionBatchControlActivities } from '../activities/ingestion-batch/control.ts';
import { ingestionBatchLakeActivities } from '../activities/ingestion-batch/lake.ts';
import { lakeMaintenanceControlActivities } from '../activities/lake-maintenance/control.ts';
import { lakeMaintenanceLakeActivities } from '../activities/lake-maintenance/lake.ts';
import { scheduleControlActivities } from '../activities/schedule/control.ts';
import { backfillControlActivities } from '../activities/schedule-backfill/control.ts';
import { scheduleRunControlActivities } from '../activities/schedule-run/control.ts';
import { snapshotControlActivities } from '../activities/snapshot/control.ts';
import { snapshotLakeActivities } from '../activities/snapshot/lake.ts';
import { tableImportControlActivities } from '../activities/table-import/control.ts';
import { tableImportLakeActivities } from '../activities/table-import/lake.ts';
import { workflowRunAgentActivities } from '../activities/workflow-run/agent.ts';
import { workflowRunControlActivities } from '../activities/workflow-run/control.ts';

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
      ...snapshotControlActivities(deps),
      ...lakeMaintenanceControlActivities(deps, lakeMaintenance),
      ...conversationControlActivities(deps),
      ...agentRunControlActivities(deps),
      ...scheduleControlActivities(deps),
      ...scheduleRunControlActivities(deps),
      ...backfillControlActivities(deps),
      ...deliveryControlActivities(deps),
      ...workflowRunControlActivities(deps),
    },
    lake: {
      ...ingestionBatchLakeActivities(deps),
      ...tableImportLakeActivities(deps),
      ...snapshotLakeActivities(deps),
      ...lakeMaintenanceLakeActivities(deps, lakeMaintenance),
    },
    agent: {
      ...conversationAgentActivities(deps, agent),
      ...agentRunAgentActivities(deps),
      ...deliveryAgentActivities(deps),
      ...workflowRunAgentActivities(deps),
    },
  };
}
