import { AppError, notFound } from '../../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../../data/postgres/client.ts';
import { type RecordOf, type RowLock, records, type Slice } from '../../../../data/postgres/records.ts';
import { states } from '../../../../data/postgres/states.ts';

export type Workflow = RecordOf<'workflows'>;

const workflows = records('workflows', { prefix: 'wfl', what: 'The workflow' });

export const {
  /** The workflow, whoever owns it. */
  get: getAnyWorkflow,
  find: findWorkflow,
  insert: insertWorkflow,
  update: updateWorkflow,
} = workflows;

/** A draft becomes active with its first version, and stays so with each later one. Archived is final. */
export const workflowStates = states('workflows', {
  draft: ['active', 'archived'],
  active: ['active', 'paused', 'archived'],
  paused: ['active', 'archived'],
  archived: [],
});

/** The workflow; visible to its owner only. */
export async function getWorkflow(
  db: OrganizationTransaction,
  organizationId: string,
  { id, ownerId }: { id: string; ownerId: string },
  lock?: RowLock,
): Promise<Workflow> {
  const row = await workflows.get(db, organizationId, id, lock);
  if (row.owner_id !== ownerId) throw notFound('The workflow');
  return row;
}

/** The workflows of one owner, newest first. */
export function listWorkflows(
  db: OrganizationTransaction,
  organizationId: string,
  { ownerId, projectId, status }: { ownerId: string; projectId?: string; status?: Workflow['status'] },
  slice: Slice,
): Promise<Workflow[]> {
  return workflows.list(db, organizationId, slice, {
    owner_id: ownerId,
    ...(projectId === undefined ? {} : { project_id: projectId }),
    ...(status === undefined ? {} : { status }),
  });
}

/** Throws `revision_conflict` if it has changed since. */
export function checkRevision({ revision }: Workflow, expected: number | undefined): void {
  if (expected === undefined || expected === revision) return;
  throw new AppError('revision_conflict', `The workflow is at revision ${revision} now.`, {
    extensions: { current_revision: revision },
  });
}
