import { derivedId } from '../../../../../data/ids.ts';
import { decideExpired, findApproval, insertApproval, showWaiting } from '../approvals.ts';
import { attemptMsOf, NodeFailed, type NodeWork, seedOf, within } from '../node-work.ts';
import { findBoth } from '../workflow-runs.ts';

/** Waits for a number of seconds from the node's start, or until a time; a past time is no wait. */
export const waitWork: NodeWork = async ({ config, state }) => {
  const { seconds, until } = config as { seconds?: number; until?: string };
  const untilMs = until === undefined ? state.started_at!.getTime() + seconds! * 1_000 : Date.parse(until);
  if (Number.isNaN(untilMs))
    throw new NodeFailed('invalid_request', `${until} isn't a time in RFC 3339 form.`, { isFinal: true });
  if (untilMs <= Date.now()) return { kind: 'done', outputs: {} };
  return { kind: 'waiting', what: `until ${new Date(untilMs).toISOString()}`, untilMs };
};

export const approvalWork: NodeWork = async (call) => {
  const { run, node, config } = call;
  const { message, expires_in_seconds: seconds } = config as { message: string; expires_in_seconds: number };
  const id = derivedId('wap', attemptMsOf(call), seedOf(call));
  const approval = await within(call, async (db) => {
    // The same lock order as everywhere else.
    await findBoth(db, run.organization_id, run.id, 'update');
    const found =
      (await findApproval(db, run.organization_id, id, 'update')) ??
      (await insertApproval(db, {
        organization_id: run.organization_id,
        id,
        run_id: run.id,
        node_id: node.id,
        message,
        status: 'pending',
        expires_at: new Date(Date.now() + seconds * 1_000),
      }));
    const isLate = found.status === 'pending' && found.expires_at.getTime() <= Date.now();
    const now = isLate ? await decideExpired(db, found) : found;
    await showWaiting(db, run.organization_id, run.id);
    return now;
  });
  const { status, note, decided_by: decidedBy } = approval;
  switch (status) {
    case 'pending':
      return { kind: 'waiting', what: id, untilMs: approval.expires_at.getTime() };
    case 'allowed':
      return { kind: 'done', outputs: { approved: { type: 'value', value: { note, decidedBy } } } };
    case 'denied':
      throw new NodeFailed('approval_denied', deniedText(note), { isFinal: true });
    case 'expired':
      throw new NodeFailed('approval_expired', 'Nobody decided in time. The request counts as denied.', {
        isFinal: true,
      });
  }
};

const deniedText = (note: string | null): string =>
  note === null || note === '' ? 'A person denied the request.' : `A person denied the request: ${note}`;
