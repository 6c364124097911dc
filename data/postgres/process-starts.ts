import { sql } from 'kysely';
import { AppError } from '../errors.ts';
import { acting } from './acting.ts';
import { type Database, inOrganization, type OrganizationTransaction } from './client.ts';

/** An outbox entry that starts a durable process; stored with the row it serves until Temporal has it. */
export interface ProcessStart {
  workflowId: string;
  workflowType: string;
  taskQueue: string;
  argument: unknown;
  searchAttributes: Partial<Record<'OrganizationId' | 'ProjectId' | 'ResourceId' | 'ProcessKind', string>>;
  memo: Record<string, string>;
  /** 1 is first, 5 last. */
  priority?: number;
  /** One line for the operator. */
  summary: string;
}

declare module './schema.ts' {
  interface Documents {
    process_starts: {
      start: Document<Pick<ProcessStart, 'argument' | 'searchAttributes' | 'memo' | 'priority' | 'summary'>>;
    };
  }
}

/**
 * Adds the entry; false if another request has already added it. @throws AppError organization_suspended: no
 * process of such an organization begins
 */
export async function insertProcessStart(
  db: OrganizationTransaction,
  organizationId: string,
  start: ProcessStart,
): Promise<boolean> {
  const { workflowId, workflowType, taskQueue, ...rest } = start;
  const organization = await db
    .selectFrom('organizations')
    .select('suspended_at')
    .where('id', '=', organizationId)
    .executeTakeFirst();
  if (organization?.suspended_at != null)
    throw new AppError('organization_suspended', 'The organization is suspended, so no runs can start.');
  const added = await db
    .insertInto('process_starts')
    .values({
      organization_id: organizationId,
      workflow_id: workflowId,
      workflow_type: workflowType,
      task_queue: taskQueue,
      start: JSON.stringify(rest),
    })
    .onConflict((conflict) => conflict.columns(['organization_id', 'workflow_id']).doNothing())
    .returning('workflow_id')
    .executeTakeFirst();
  if (added !== undefined) acting().processStarted?.(workflowId);
  return added !== undefined;
}

export async function findProcessStart(
  db: OrganizationTransaction,
  organizationId: string,
  workflowId: string,
): Promise<ProcessStart | undefined> {
  const row = await db
    .selectFrom('process_starts')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('workflow_id', '=', workflowId)
    .where('started_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const rest = row.start;
  return { workflowId, workflowType: row.workflow_type, taskQueue: row.task_queue, ...rest };
}

/** Marks the entry as started; false if there is none because its row was withdrawn. */
export async function markStarted(
  db: Database,
  organizationId: string,
  workflowId: string,
): Promise<boolean> {
  const marked = await inOrganization(db, organizationId, (transaction) =>
    transaction
      .updateTable('process_starts')
      .set({ started_at: new Date() })
      .where('organization_id', '=', organizationId)
      .where('workflow_id', '=', workflowId)
      .returning('workflow_id')
      .executeTakeFirst(),
  );
  return marked !== undefined;
}

/** Deletes an entry that was not started; false if it was. */
export async function takeBackProcessStart(
  db: OrganizationTransaction,
  organizationId: string,
  workflowId: string,
): Promise<boolean> {
  const taken = await db
    .deleteFrom('process_starts')
    .where('organization_id', '=', organizationId)
    .where('workflow_id', '=', workflowId)
    .where('started_at', 'is', null)
    .returning('workflow_id')
    .executeTakeFirst();
  return taken !== undefined;
}

/** Entries older than any request that could still be starting them. */
export async function pendingStarts(
  db: Database,
  olderThanSeconds: number,
  atMost: number,
): Promise<{ organizationId: string; workflowId: string }[]> {
  const { rows } = await sql<{ organization_id: string; workflow_id: string }>`
    SELECT organization_id, workflow_id FROM pending_process_starts(make_interval(secs => ${olderThanSeconds}), ${atMost})
  `.execute(db);
  return rows.map((row) => ({ organizationId: row.organization_id, workflowId: row.workflow_id }));
}
