import { inOrganization, type OrganizationTransaction } from '../../../../data/postgres/client.ts';
import type { RecordOf } from '../../../../data/postgres/records.ts';
import type { Cadence } from '../../../../packages/cadences/index.ts';
import { addOwned, keepOwned, type OwnedTarget, retireOwned } from '../../schedules/owned.ts';
import { type WakeDeps, wakeSchedule } from '../../schedules/process.ts';
import type { Schedule } from '../../schedules/schedules.ts';

/** An active trigger, as in its version. */
export interface ActiveTrigger {
  id: string;
  type: RecordOf<'workflow_active_triggers'>['type'];
  /** Set for schedule triggers. */
  cadence: Cadence | null;
}

type OwnWorkflow = Pick<RecordOf<'workflows'>, 'organization_id' | 'id' | 'project_id' | 'owner_id'>;

/**
 * Makes the schedule triggers of a version, and no others, fire, in the transaction that activates the
 * version; with none if the workflow is paused. A trigger with an unchanged cadence keeps its position in it,
 * so nothing is missed or fired twice; fires already recorded run on their own version. Wake the processes
 * after the commit.
 */
export async function replaceTriggerSchedules(
  db: OrganizationTransaction,
  workflow: OwnWorkflow,
  version: { id: string } | undefined,
  triggers: readonly ActiveTrigger[],
  nowMs: number = Date.now(),
): Promise<void> {
  const stored = await schedulesOf(db, workflow);
  const wanted = version === undefined ? [] : triggers.filter(({ type }) => type === 'schedule');
  for (const trigger of wanted) {
    const before = stored.get(trigger.id);
    stored.delete(trigger.id);
    const target = targetOf(workflow, version!.id, trigger.id);
    if (before === undefined) await addOwned(db, target, trigger.cadence!, nowMs);
    else await keepOwned(db, before, trigger.cadence!, nowMs, { version_id: version!.id });
  }
  const change = wanted.length === 0 ? 'paused' : 'changed';
  for (const row of stored.values()) await retireOwned(db, row, change, nowMs);
}

/** Notifies the processes of a workflow's schedules; the reconciler repeats lost notifications. */
export async function wakeTriggerSchedules(
  deps: WakeDeps,
  { organization_id: organizationId, id }: Pick<OwnWorkflow, 'organization_id' | 'id'>,
  memo: Record<string, string> = {},
): Promise<void> {
  const unseen = await inOrganization(deps.db, organizationId, (db) =>
    db
      .selectFrom('schedules')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('workflow_id', '=', id)
      .where(({ eb, ref }) => eb('seen_revision', '<', ref('revision')))
      .execute(),
  );
  await Promise.all(unseen.map((row) => wakeSchedule(deps, row, memo)));
}

/** By trigger id, locked: a concurrent fire is recorded before or after. */
async function schedulesOf(
  db: OrganizationTransaction,
  { organization_id: organizationId, id }: OwnWorkflow,
): Promise<Map<string, Schedule>> {
  const rows = await db
    .selectFrom('schedules')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('workflow_id', '=', id)
    .orderBy('id')
    .forUpdate()
    .execute();
  return new Map(rows.map((row) => [row.trigger_id!, row]));
}

function targetOf(workflow: OwnWorkflow, versionId: string, triggerId: string): OwnedTarget {
  return {
    organization_id: workflow.organization_id,
    project_id: workflow.project_id,
    kind: 'workflow',
    workflow_id: workflow.id,
    trigger_id: triggerId,
    version_id: versionId,
    created_by: workflow.owner_id,
  };
}
