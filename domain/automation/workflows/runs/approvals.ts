import { AppError } from '../../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../../data/postgres/client.ts';
import { type RecordOf, records, type Slice } from '../../../../data/postgres/records.ts';
import { states } from '../../../../data/postgres/states.ts';
import { findRun, followRun } from '../../../workspace/runs/runs.ts';

/** A decision that a run needs from a person. */
export type Approval = RecordOf<'workflow_approvals'>;

const approvals = records('workflow_approvals', { prefix: 'wap', what: 'The approval' });

export const { find: findApproval, get: getApproval, insert: insertApproval } = approvals;

/** Decided once: the second of two concurrent decisions is refused. */
export const approvalStates = states(
  'workflow_approvals',
  { pending: ['allowed', 'denied', 'expired'], allowed: [], denied: [], expired: [] },
  () => ({ decided_at: new Date() }),
);

/** Of one run, newest first. */
export const listApprovals = (
  db: OrganizationTransaction,
  organizationId: string,
  runId: string,
  slice: Slice,
): Promise<Approval[]> => approvals.list(db, organizationId, slice, { run_id: runId });

export async function decideApproval(
  db: OrganizationTransaction,
  approval: Approval,
  { decision, note, callerId }: { decision: 'allow' | 'deny'; note: string | null; callerId: string },
): Promise<Approval> {
  const isLate = approval.expires_at.getTime() <= Date.now();
  const to = decision === 'allow' ? 'allowed' : 'denied';
  const change = { note, decided_by: callerId };
  const decided = isLate ? undefined : await approvalStates.move(db, approval, 'pending', to, change);
  if (decided !== undefined) return decided;
  const found = await approvals.get(db, approval.organization_id, approval.id);
  const now = isLate ? await decideExpired(db, found) : found;
  // Repeating the same decision changes nothing.
  if (now.status === to && now.decided_by === callerId) return now;
  // Undecided at its end it is denied.
  if (now.status === 'expired' && decision === 'deny') return now;
  throw new AppError(
    'conflict',
    now.status === 'expired'
      ? 'The time to decide is over. The request counts as denied.'
      : `The request was already ${now.status} at ${now.decided_at?.toISOString()}.`,
  );
}

export async function decideExpired(db: OrganizationTransaction, approval: Approval): Promise<Approval> {
  return (await approvalStates.move(db, approval, 'pending', 'expired')) ?? approval;
}

/** Ends approvals that no longer need a decision. */
export async function expireApprovals(
  db: OrganizationTransaction,
  organizationId: string,
  runId: string,
  nodeId: string,
): Promise<void> {
  const open = await db
    .selectFrom('workflow_approvals')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('run_id', '=', runId)
    .where('node_id', '=', nodeId)
    .where('status', '=', 'pending')
    .execute();
  for (const approval of open) await decideExpired(db, approval);
}

/** Shows a run as waiting while a decision is open. */
export async function showWaiting(
  db: OrganizationTransaction,
  organizationId: string,
  runId: string,
): Promise<void> {
  const run = await findRun(db, organizationId, runId, 'update');
  if (run?.status !== 'running' && run?.status !== 'waiting') return;
  const { open } = await db
    .selectFrom('workflow_approvals')
    .select(({ fn }) => fn.countAll<number>().as('open'))
    .where('organization_id', '=', organizationId)
    .where('run_id', '=', runId)
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow();
  await followRun(db, run, Number(open) > 0 ? 'waiting' : 'running');
}

/** Decided at least 15 seconds ago, while their nodes are still running. */
export async function unsignalledApprovals(
  db: OrganizationTransaction,
  organizationId: string,
  runId: string,
): Promise<string[]> {
  const rows = await db
    .selectFrom('workflow_approvals as a')
    .innerJoin('workflow_run_nodes as n', (join) =>
      join
        .onRef('n.organization_id', '=', 'a.organization_id')
        .onRef('n.run_id', '=', 'a.run_id')
        .onRef('n.node_id', '=', 'a.node_id'),
    )
    .select('a.id')
    .where('a.organization_id', '=', organizationId)
    .where('a.run_id', '=', runId)
    .where('a.status', '!=', 'pending')
    .where('n.status', '=', 'running')
    .where('a.decided_at', '<', new Date(Date.now() - 15_000))
    // Only approvals since the run was last resumed.
    .whereRef('a.created_at', '>=', 'n.started_at')
    .execute();
  return rows.map(({ id }) => id);
}
