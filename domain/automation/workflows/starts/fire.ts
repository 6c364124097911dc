import { AppError, isRetryable, ValidationError } from '../../../../data/errors.ts';
import { inOrganization } from '../../../../data/postgres/client.ts';
import type { WorkflowFire } from '../../schedules/fire.ts';
import { keepRefusedRun, startWorkflowRun, type WorkflowRunRequest } from '../runs/start.ts';

/** Dependencies for starting a run of a workflow. */
export type StartDeps = Parameters<typeof startWorkflowRun>[0];

type StartedFire = Omit<WorkflowFire, 'waitedBy'> & Partial<Pick<WorkflowFire, 'waitedBy'>>;

/**
 * Starts the run of a fire on the version that was active when it was recorded, with its trigger's params,
 * regardless of later activations.
 */
export async function startFire(deps: StartDeps, fire: StartedFire): Promise<void> {
  await startWorkflowRun(deps, await requestOf(deps, fire, 'schedule'));
}

/**
 * The same for a data event. A permanent refusal is recorded as a failed run, because there is no fire to
 * show it.
 */
export async function startDataEvent(deps: StartDeps, fire: StartedFire): Promise<void> {
  const request = await requestOf(deps, fire, 'data_event');
  try {
    await startWorkflowRun(deps, request);
  } catch (error) {
    if (isRetryable(error) || !(error instanceof AppError || error instanceof ValidationError)) throw error;
    await keepRefusedRun(deps.db, request, refusalOf(error));
  }
}

function refusalOf(error: AppError | ValidationError): { code: string; message: string } {
  const what =
    error instanceof AppError
      ? error.message
      : error.faults.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join(' ');
  const code = error instanceof AppError ? error.code : 'invalid_request';
  return { code, message: `The run couldn't be started: ${what}` };
}

async function requestOf(
  { db }: StartDeps,
  { waitedBy, ...fire }: StartedFire,
  type: 'schedule' | 'data_event',
): Promise<WorkflowRunRequest & { versionId: string }> {
  const { organizationId, workflowId, versionId, triggerId, runId } = fire;
  const version = await inOrganization(db, organizationId, (transaction) =>
    transaction
      .selectFrom('workflow_versions')
      .select('triggers')
      .where('organization_id', '=', organizationId)
      .where('id', '=', versionId)
      .executeTakeFirst(),
  );
  const triggers = version?.triggers ?? [];
  const trigger = triggers.find(({ id }) => id === triggerId);
  if (trigger === undefined)
    throw new AppError(
      'not_found',
      'The version of the workflow that this run was started for no longer exists.',
    );
  return {
    organizationId,
    runId,
    workflowId,
    versionId,
    params: trigger.params,
    at: ['params'],
    trigger: { type, id: triggerId },
    memo: {},
    ...(waitedBy === undefined ? {} : { waitedBy }),
  };
}
