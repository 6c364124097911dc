import type { OrganizationTransaction } from '../../../../data/postgres/client.ts';
import { replaceTriggerCursors } from '../triggers/cursors.ts';
import { replaceTriggerSchedules } from '../triggers/schedules.ts';
import type { FrozenTrigger, WorkflowVersion } from './versions.ts';
import type { Workflow } from './workflows.ts';

/**
 * Makes the enabled triggers of a version the active ones, or none if there is no version. They are replaced
 * in one transaction, so at no time is a trigger active twice or missing.
 */
export async function replaceActiveTriggers(
  db: OrganizationTransaction,
  workflow: Workflow,
  version: WorkflowVersion | undefined,
): Promise<void> {
  const triggers = version === undefined ? [] : version.triggers.filter(({ enabled }) => enabled);
  await db
    .deleteFrom('workflow_active_triggers')
    .where('organization_id', '=', workflow.organization_id)
    .where('workflow_id', '=', workflow.id)
    .execute();
  const rows = triggers.map((trigger) => activeRow(workflow, version!.id, trigger));
  if (rows.length > 0) await db.insertInto('workflow_active_triggers').values(rows).execute();
  await replaceTriggerSchedules(db, workflow, version, triggers);
  await replaceTriggerCursors(db, workflow, triggers);
}

const activeRow = (
  { organization_id, id: workflowId }: Workflow,
  versionId: string,
  { id, type, params, cadence, config }: FrozenTrigger,
) => ({
  organization_id,
  id,
  workflow_id: workflowId,
  version_id: versionId,
  type,
  params: JSON.stringify(params),
  cadence: cadence === null ? null : JSON.stringify(cadence),
  config: config === null ? null : JSON.stringify(config),
});
