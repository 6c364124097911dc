import type { Cipher } from '../../../../data/encryption.ts';
import { AppError, ValidationError, type ValidationFault } from '../../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../../data/postgres/client.ts';
import { limits } from '../../../workspace/limits/limits.ts';
import { refuseBeyond } from '../../../workspace/limits/refuse.ts';
import { refuseGoneMaker, refuseLiveMaker } from '../../../workspace/organizations/makers.ts';
import { getOpenProject } from '../../../workspace/projects/projects.ts';
import { replaceActiveTriggers } from './active-triggers.ts';
import { faultsOfDraft } from './draft-faults.ts';
import { triggersOf } from './triggers.ts';
import { findNumbered, frozen, getVersion, insertVersion, type WorkflowVersion } from './versions.ts';
import { checkRevision, updateWorkflow, type Workflow, workflowStates } from './workflows.ts';
import { refuseArchived, revised } from './write.ts';

export interface Activation {
  /** Id of the version to be created. */
  versionId: string;
  expectedRevision: number;
  /** An older version to return to; default: the draft. */
  olderId: string | undefined;
  callerId: string;
  /** Faults of the draft at that revision, found before the transaction. */
  sqlFaults: readonly ValidationFault[];
}

/**
 * Freezes the draft as a version, or returns to an older one, and replaces the active triggers, atomically.
 * Runs under way keep their version.
 *
 * @throws ValidationError with every fault of an invalid draft
 */
export async function activateWorkflow(
  db: OrganizationTransaction,
  cipher: Cipher,
  before: Workflow,
  activation: Activation,
): Promise<Workflow> {
  refuseArchived(before);
  checkRevision(before, activation.expectedRevision);
  await getOpenProject(db, before.organization_id, before.project_id);
  const version =
    activation.olderId === undefined
      ? await freeze(db, cipher, before, activation)
      : await getVersion(db, before, activation.olderId);
  await replaceActiveTriggers(db, before, version);
  return moved(db, before, 'active', { active_version_id: version.id });
}

async function freeze(
  db: OrganizationTransaction,
  cipher: Cipher,
  row: Workflow,
  { versionId, callerId, sqlFaults }: Activation,
): Promise<WorkflowVersion> {
  const faults = [...(await faultsOfDraft(db, cipher, row)), ...sqlFaults];
  if (faults.length > 0) throw new ValidationError(faults);
  const triggers = await triggersOf(db, row.organization_id, [row.id]);
  return insertVersion(db, {
    organization_id: row.organization_id,
    id: versionId,
    workflow_id: row.id,
    number: await nextNumber(db, row),
    title: row.title,
    output_folder: row.output_folder,
    graph: JSON.stringify(row.graph),
    sealed_secrets: row.sealed_secrets,
    triggers: JSON.stringify(triggers.map(frozen)),
    created_by: callerId,
  });
}

async function nextNumber(db: OrganizationTransaction, row: Workflow): Promise<number> {
  const { last } = await db
    .selectFrom('workflow_versions')
    .select(({ fn }) => fn.max('number').as('last'))
    .where('organization_id', '=', row.organization_id)
    .where('workflow_id', '=', row.id)
    .executeTakeFirstOrThrow();
  refuseBeyond(limits.workflows.versions, last ?? 0);
  return (last ?? 0) + 1;
}

/** Deactivates the workflow's triggers; runs under way continue. */
export async function pauseWorkflow(db: OrganizationTransaction, before: Workflow): Promise<Workflow> {
  if (before.status === 'paused') return before;
  if (before.status !== 'active') throw notActive(before);
  await replaceActiveTriggers(db, before, undefined);
  return moved(db, before, 'paused');
}

/** Activates the triggers of the last active version again. */
export async function resumeWorkflow(db: OrganizationTransaction, before: Workflow): Promise<Workflow> {
  if (before.status === 'active') return before;
  if (before.status !== 'paused') throw notActive(before);
  await refuseGoneMaker(db, before.organization_id, before.owner_id, 'workflow');
  await getOpenProject(db, before.organization_id, before.project_id);
  await replaceActiveTriggers(db, before, await getVersion(db, before, before.active_version_id!));
  return moved(db, before, 'active');
}

/**
 * The workflow belongs to `takerId` from now on, with its runs, and stays paused until it is resumed.
 *
 * @throws AppError conflict if its owner is still there
 */
export async function takeOverWorkflow(
  db: OrganizationTransaction,
  before: Workflow,
  takerId: string,
): Promise<Workflow> {
  await refuseLiveMaker(db, before.organization_id, before.owner_id, 'workflow');
  await db
    .updateTable('schedules')
    .set({ created_by: takerId })
    .where('organization_id', '=', before.organization_id)
    .where('workflow_id', '=', before.id)
    .execute();
  const ofWorkflow = db
    .updateTable('workflow_runs')
    .set({ owner_id: takerId })
    .where('organization_id', '=', before.organization_id)
    .where('workflow_id', '=', before.id)
    .returning('id');
  await db
    .with('moved', () => ofWorkflow)
    .updateTable('runs')
    .set({ owner_id: takerId })
    .where('organization_id', '=', before.organization_id)
    .where('id', 'in', (of) => of.selectFrom('moved').select('id'))
    .execute();
  return updateWorkflow(db, before.organization_id, before.id, {
    owner_id: takerId,
    pause_reason: null,
    ...revised(before),
  });
}

const notActive = ({ status }: Workflow) =>
  new AppError('conflict', `The workflow is ${status === 'draft' ? 'a draft; activate it first' : status}.`);

/** Advances the revision, and the status if it changes. */
async function moved(
  db: OrganizationTransaction,
  before: Workflow,
  to: 'active' | 'paused',
  change: { active_version_id?: string } = {},
): Promise<Workflow> {
  const cleared = to === 'active' ? { pause_reason: null } : {};
  const row = await workflowStates.move(db, before, before.status, to, {
    ...change,
    ...cleared,
    ...revised(before),
  });
  if (row === undefined)
    throw new AppError('conflict', 'The workflow was changed at the same time. Read it again, then retry.');
  return row;
}

/** The preceding version, for comparison. */
export const versionBefore = (db: OrganizationTransaction, version: WorkflowVersion) =>
  findNumbered(db, { organization_id: version.organization_id, id: version.workflow_id }, version.number - 1);
