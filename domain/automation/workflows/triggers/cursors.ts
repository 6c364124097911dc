import type { OrganizationTransaction } from '../../../../data/postgres/client.ts';
import type { RecordOf } from '../../../../data/postgres/records.ts';
import type { ActiveTrigger } from './schedules.ts';

/**
 * Makes the data_event triggers of a version, and no others, wait for commits, in the transaction that
 * activates the version; with no triggers if the workflow is paused. An existing cursor keeps its position; a
 * new one waits for later commits.
 */
export async function replaceTriggerCursors(
  db: OrganizationTransaction,
  { organization_id: organizationId, id: workflowId }: Pick<RecordOf<'workflows'>, 'organization_id' | 'id'>,
  triggers: readonly Pick<ActiveTrigger, 'id' | 'type'>[],
): Promise<void> {
  const ids = triggers.filter(({ type }) => type === 'data_event').map(({ id }) => id);
  let gone = db
    .deleteFrom('workflow_event_cursors')
    .where('organization_id', '=', organizationId)
    .where('workflow_id', '=', workflowId);
  if (ids.length > 0) gone = gone.where('trigger_id', 'not in', ids);
  await gone.execute();
  if (ids.length === 0) return;
  await db
    .insertInto('workflow_event_cursors')
    .values(ids.map((id) => ({ organization_id: organizationId, trigger_id: id, workflow_id: workflowId })))
    .onConflict((conflict) => conflict.columns(['organization_id', 'trigger_id']).doNothing())
    .execute();
}
