import { type ExpressionBuilder, sql } from 'kysely';
import { AppError, notFound } from '../../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../../data/postgres/client.ts';
import { type RecordOf, type RowLock, records, type Slice } from '../../../../data/postgres/records.ts';
import type { DB } from '../../../../data/postgres/schema.gen.ts';
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

export interface WorkflowFilters {
  /** `gone`: of nobody who is still there. */
  owner: { id: string } | 'gone';
  projectId?: string | undefined;
  status?: Workflow['status'] | undefined;
}

/** The workflows of one owner, or those that have none any more, newest first. */
export function listWorkflows(
  db: OrganizationTransaction,
  organizationId: string,
  { owner, projectId, status }: WorkflowFilters,
  { after, limit }: Slice,
): Promise<Workflow[]> {
  let query = db.selectFrom('workflows').selectAll().where('organization_id', '=', organizationId);
  if (owner === 'gone') query = query.where(isOwnerGone);
  else query = query.where('owner_id', '=', owner.id);
  if (projectId !== undefined) query = query.where('project_id', '=', projectId);
  if (status !== undefined) query = query.where('status', '=', status);
  if (after !== undefined) query = query.where('id', '<', after);
  return query.orderBy('id', 'desc').limit(limit).execute();
}

const isOwnerGone = ({ and, exists, not, selectFrom }: ExpressionBuilder<DB, 'workflows'>) => {
  const person = selectFrom('users')
    .select('users.id')
    .whereRef('users.organization_id', '=', 'workflows.organization_id')
    .whereRef('users.id', '=', 'workflows.owner_id')
    .where('users.removed_at', 'is', null);
  const client = selectFrom('api_clients')
    .select('api_clients.id')
    .whereRef('api_clients.organization_id', '=', 'workflows.organization_id')
    .whereRef('api_clients.id', '=', 'workflows.owner_id')
    .where('api_clients.revoked_at', 'is', null)
    .where((eb) =>
      eb.or([eb('api_clients.expires_at', 'is', null), eb('api_clients.expires_at', '>', sql<Date>`now()`)]),
    );
  return and([not(exists(person)), not(exists(client))]);
};

/** Throws `revision_conflict` if it has changed since. */
export function checkRevision({ revision }: Workflow, expected: number | undefined): void {
  if (expected === undefined || expected === revision) return;
  throw new AppError(
    'revision_conflict',
    `The workflow has changed: its revision is now ${revision}. Read it again, then repeat the change.`,
    {
      extensions: { current_revision: revision },
    },
  );
}
