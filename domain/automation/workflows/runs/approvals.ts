import { AppError } from '../../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../../data/postgres/client.ts';
import { type RecordOf, records, type Slice } from '../../../../data/postgres/records.ts';
import { states } from '../../../../data/postgres/states.ts';
import { findRun, followRun } from '../../../workspace/runs/runs.ts';

/** What a run waits for a person's word on. */
export type Approval = RecordOf<'workflow_approvals'>;

const approvals = records('workflow_approvals', { prefix: 'wap', what: 'The approval' });

export const { find: findApproval, get: getApproval, insert: insertApproval } = approvals;

/** Decided once: of two that decide at once the second is told. */
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
  const now = await approvals.get(db, approval.organization_id, approval.id);
  // The same word again is no second one.
  if (now.status === to && now.decided_by === callerId) return now;
  throw new AppError(
    'conflict',
    now.status === 'pending' || now.status === 'expired'
      ? 'The time to decide has passed, which counts as a denial.'
      : `It was ${now.status} already, at ${now.decided_at?.toISOString()}.`,
  );
}

export async function decideExpired(db: OrganizationTransaction, approval: Approval): Promise<Approval> {
  return (await approvalStates.move(db, approval, 'pending', 'expired')) ?? approval;
}

/** Ends what nobody needs to decide any more. */
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

/** A run shows that it waits for somebody for as long as a word is wanted. */
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

/** Decided a while ago, and their nodes are under way still. */
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
    // Of the run as it was resumed last.
    .whereRef('a.created_at', '>=', 'n.started_at')
    .execute();
  return rows.map(({ id }) => id);
}
