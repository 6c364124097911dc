import { AppError } from '../../data/errors.ts';
import { inOrganization } from '../../data/postgres/client.ts';
import type { Params } from '../playbooks/parameters.ts';
import type { WorkflowFire } from '../schedules/fire.ts';
import { startWorkflowRun } from '../workflow-runs/start.ts';

/** What starting a run of a workflow needs. */
export type StartDeps = Parameters<typeof startWorkflowRun>[0];

/**
 * Starts what a trigger sets off by itself: the version that was active when that was recorded, with the trigger's params in
 * it, whatever has been activated since.
 */
export async function startFire(
  deps: StartDeps,
  { waitedBy, ...fire }: Omit<WorkflowFire, 'waitedBy'> & Partial<Pick<WorkflowFire, 'waitedBy'>>,
  type: 'schedule' | 'data_event' = 'schedule',
): Promise<void> {
  const { organizationId, workflowId, versionId, triggerId, runId } = fire;
  const version = await inOrganization(deps.db, organizationId, (db) =>
    db
      .selectFrom('workflow_versions')
      .select('triggers')
      .where('organization_id', '=', organizationId)
      .where('id', '=', versionId)
      .executeTakeFirst(),
  );
  const triggers = (version?.triggers ?? []) as unknown as { id: string; params: Params }[];
  const trigger = triggers.find(({ id }) => id === triggerId);
  if (trigger === undefined) throw new AppError('not_found', 'The version that it met is no more.');
  await startWorkflowRun(deps, {
    organizationId,
    runId,
    workflowId,
    versionId,
    params: trigger.params,
    at: ['params'],
    trigger: { type, id: triggerId },
    memo: {},
    ...(waitedBy === undefined ? {} : { waitedBy }),
  });
}
