import { agentRunAgentActivities } from '../activities/analyst/agent-run/agent.ts';
import { agentRunControlActivities } from '../activities/analyst/agent-run/control.ts';
import { conversationAgentActivities } from '../activities/analyst/conversation/agent.ts';
import { conversationControlActivities } from '../activities/analyst/conversation/control.ts';
import { scheduleControlActivities } from '../activities/automation/schedule/control.ts';
import { backfillControlActivities } from '../activities/automation/schedule-backfill/control.ts';
import { scheduleRunControlActivities } from '../activities/automation/schedule-run/control.ts';
import { workflowRunAgentActivities } from '../activities/automation/workflow-run/agent.ts';
import { workflowRunControlActivities } from '../activities/automation/workflow-run/control.ts';
import type { ActivityDeps } from '../activities/deps.ts';
import { ingestionBatchControlActivities } from '../activities/intake/ingestion-batch/control.ts';
import { ingestionBatchLakeActivities } from '../activities/intake/ingestion-batch/lake.ts';
import { snapshotControlActivities } from '../activities/intake/snapshot/control.ts';
import { snapshotLakeActivities } from '../activities/intake/snapshot/lake.ts';
import { tableImportControlActivities } from '../activities/intake/table-import/control.ts';
import { tableImportLakeActivities } from '../activities/intake/table-import/lake.ts';
import { deliveryAgentActivities } from '../activities/publishing/delivery/agent.ts';
import { deliveryControlActivities } from '../activities/publishing/delivery/control.ts';
import { exportControlActivities } from '../activities/tables/export/control.ts';
import { exportLakeActivities } from '../activities/tables/export/lake.ts';
import { lakeMaintenanceControlActivities } from '../activities/tables/lake-maintenance/control.ts';
import { lakeMaintenanceLakeActivities } from '../activities/tables/lake-maintenance/lake.ts';
import { materializationControlActivities } from '../activities/tables/materialization/control.ts';
import { materializationLakeActivities } from '../activities/tables/materialization/lake.ts';
import { profileControlActivities } from '../activities/tables/profile/control.ts';
import { profileLakeActivities } from '../activities/tables/profile/lake.ts';
import { verificationControlActivities } from '../activities/tables/verification/control.ts';
import { verificationLakeActivities } from '../activities/tables/verification/lake.ts';
import { appHealthAgentActivities } from '../activities/workspace/app-health/agent.ts';
import { keyRotationControlActivities } from '../activities/workspace/key-rotation/control.ts';
import { organizationDeletionControlActivities } from '../activities/workspace/organization-deletion/control.ts';
import { organizationDeletionLakeActivities } from '../activities/workspace/organization-deletion/lake.ts';

/** Every activity, by task queue. */
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
      ...materializationControlActivities(deps),
      ...profileControlActivities(deps),
      ...verificationControlActivities(deps),
      ...exportControlActivities(deps),
      ...conversationControlActivities(deps),
      ...agentRunControlActivities(deps),
      ...scheduleControlActivities(deps),
      ...scheduleRunControlActivities(deps),
      ...backfillControlActivities(deps),
      ...deliveryControlActivities(deps),
      ...workflowRunControlActivities(deps),
      ...keyRotationControlActivities(deps),
      ...organizationDeletionControlActivities(deps),
    },
    lake: {
      ...ingestionBatchLakeActivities(deps),
      ...tableImportLakeActivities(deps),
      ...snapshotLakeActivities(deps),
      ...lakeMaintenanceLakeActivities(deps, lakeMaintenance),
      ...materializationLakeActivities(deps),
      ...profileLakeActivities(deps),
      ...verificationLakeActivities(deps),
      ...exportLakeActivities(deps),
      ...organizationDeletionLakeActivities(deps),
    },
    agent: {
      ...conversationAgentActivities(deps, agent),
      ...agentRunAgentActivities(deps),
      ...deliveryAgentActivities(deps),
      ...workflowRunAgentActivities(deps),
      ...appHealthAgentActivities(deps),
    },
  };
}
