import { AppError, notFound } from '../../../data/errors.ts';
import { newId } from '../../../data/ids.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type RecordOf, records, type Slice } from '../../../data/postgres/records.ts';
import { states } from '../../../data/postgres/states.ts';
import { type Conversation, updateConversation } from './conversations.ts';
import { appendEvents, type NewEvent } from './events.ts';
import { findMessage, type Message, type MessagePart, partsOf, replyStates, updatePart } from './messages.ts';
import { approvalView, partView } from './views.ts';

export type Approval = RecordOf<'approvals'>;

const approvals = records('approvals', { prefix: 'apv', what: 'The approval' });

/** An approval's states; a decided or cancelled approval is final. */
export const approvalStates = states('approvals', {
  pending: ['allowed', 'denied', 'expired', 'cancelled'],
  allowed: [],
  denied: [],
  expired: [],
  cancelled: [],
});

/** An approval undecided for this long is denied. */
const expiresAfterMs = 24 * 3_600_000;

/** An approval with its call. */
export interface ShownApproval {
  id: string;
  approval: Approval;
  part: MessagePart;
}

/** Requests an approval for each waiting call; the reply then waits too. Returns the events to append. */
export async function requestApprovals(
  db: OrganizationTransaction,
  reply: Message,
  parts: readonly MessagePart[],
): Promise<NewEvent[]> {
  if (parts.length === 0) return [];
  await replyStates.move(db, reply, 'streaming', 'waiting_approval');
  const events: NewEvent[] = [];
  for (const part of parts) {
    const approval = await approvals.insert(db, {
      organization_id: reply.organization_id,
      id: newId('apv'),
      conversation_id: reply.conversation_id,
      message_id: reply.id,
      part_index: part.part_index,
      status: 'pending',
      expires_at: new Date(Date.now() + expiresAfterMs),
    });
    events.push({
      event: 'approval.requested',
      data: {
        messageId: reply.id,
        partIndex: part.part_index,
        part: partView(part),
        approval: approvalView(approval, part),
      },
    });
  }
  return events;
}

/** The approval of this conversation. */
export async function getApproval(
  db: OrganizationTransaction,
  { organization_id: organizationId, id: conversationId }: Conversation,
  id: string,
): Promise<ShownApproval> {
  const approval = await approvals.get(db, organizationId, id);
  if (approval.conversation_id !== conversationId) throw notFound('The approval');
  return shown(db, approval);
}

/** Newest first. */
export async function listApprovals(
  db: OrganizationTransaction,
  { organization_id: organizationId, id }: Conversation,
  slice: Slice,
): Promise<ShownApproval[]> {
  const rows = await approvals.list(db, organizationId, slice, { conversation_id: id });
  const parts = await partsOf(db, organizationId, [...new Set(rows.map((row) => row.message_id))]);
  return rows.map((approval) => ({ id: approval.id, approval, part: partOf(approval, parts) }));
}

async function shown(db: OrganizationTransaction, approval: Approval): Promise<ShownApproval> {
  const parts = await partsOf(db, approval.organization_id, [approval.message_id]);
  return { id: approval.id, approval, part: partOf(approval, parts) };
}

function partOf(approval: Approval, parts: ReadonlyMap<string, readonly MessagePart[]>): MessagePart {
  const part = parts.get(approval.message_id)?.find(({ part_index: index }) => index === approval.part_index);
  if (part === undefined) throw notFound('The approval');
  return part;
}

export interface Decision {
  decision: 'allow' | 'deny';
  note: string;
  decidedBy: string;
}

/**
 * Decides on an approval; the caller holds the conversation's lock. The call may then be made, or is reported
 * as denied. Repeating the same decision changes nothing.
 *
 * @throws AppError conflict where it was decided otherwise, or came to nothing
 */
export async function decideApproval(
  db: OrganizationTransaction,
  conversation: Conversation,
  id: string,
  { decision, note, decidedBy }: Decision,
): Promise<ShownApproval> {
  const before = await getApproval(db, conversation, id);
  const to = decision === 'allow' ? 'allowed' : 'denied';
  if (before.approval.status === to) return before;
  const { status, expires_at: expiresAt } = before.approval;
  const is = status === 'pending' && expiresAt <= new Date() ? 'expired' : status;
  if (is !== 'pending') throw new AppError('conflict', `The approval is ${is}. It can no longer be decided.`);
  const change = { note, decided_by: decidedBy, decided_at: new Date() };
  const approval = await approvalStates.move(db, before.approval, 'pending', to, change);
  await endWait(db, conversation, approval ?? before.approval);
  await updateConversation(db, conversation.organization_id, conversation.id, { due_since: new Date() });
  return getApproval(db, conversation, id);
}

/**
 * Denies approvals not decided in time; returns the milliseconds until the next is due, or null if none is
 * waiting.
 */
export async function expireApprovals(
  db: OrganizationTransaction,
  conversation: Conversation,
  reply: Message,
): Promise<number | null> {
  const waiting = (await ofMessage(db, reply)).filter(({ status }) => status === 'pending');
  const now = Date.now();
  for (const approval of waiting) {
    if (approval.expires_at.getTime() > now) continue;
    const expired = await approvalStates.move(db, approval, 'pending', 'expired', { decided_at: new Date() });
    if (expired !== undefined) await endWait(db, conversation, expired);
  }
  const left = waiting.map(({ expires_at: at }) => at.getTime() - now).filter((ms) => ms > 0);
  return left.length === 0 ? null : Math.min(...left);
}

/** Cancels the approvals of a reply together with its turn. */
export async function cancelApprovals(db: OrganizationTransaction, reply: Message): Promise<void> {
  for (const approval of await ofMessage(db, reply))
    if (approval.status === 'pending')
      await approvalStates.move(db, approval, 'pending', 'cancelled', { decided_at: new Date() });
}

/** Whether there is a decision on any call of this reply. */
export async function hasDecisions(db: OrganizationTransaction, reply: Message): Promise<boolean> {
  return (await ofMessage(db, reply)).some(({ status }) => status === 'allowed' || status === 'denied');
}

function ofMessage(
  db: OrganizationTransaction,
  { organization_id: organizationId, id }: Message,
): Promise<Approval[]> {
  return db
    .selectFrom('approvals')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('message_id', '=', id)
    .execute();
}

/** The call continues, or is reported as denied; the reply continues once none of its calls waits. */
async function endWait(
  db: OrganizationTransaction,
  conversation: Conversation,
  approval: Approval,
): Promise<void> {
  const { organization_id, message_id, part_index } = approval;
  const key = { organization_id, message_id, part_index };
  const isAllowed = approval.status === 'allowed';
  const part = await updatePart(
    db,
    key,
    isAllowed
      ? { status: 'running' }
      : { status: 'denied', summary: deniedText(approval), output: deniedOutput(approval) },
  );
  const parts = (await partsOf(db, organization_id, [message_id])).get(message_id) ?? [];
  const reply = await findMessage(db, organization_id, message_id);
  if (reply?.status === 'waiting_approval' && !parts.some(({ status }) => status === 'waiting_approval'))
    await replyStates.move(db, reply, 'waiting_approval', 'streaming');
  const data = { messageId: message_id, partIndex: part_index, part: partView(part) };
  await appendEvents(db, conversation, [{ event: isAllowed ? 'tool.started' : 'tool.finished', data }]);
}

function deniedText({ status, note }: Approval): string {
  if (status === 'expired') return 'Denied: nobody decided in time.';
  return note === '' ? 'Denied by a person.' : `Denied by a person: ${note}`;
}

const deniedOutput = (approval: Approval): string =>
  JSON.stringify({ error: { code: 'denied', message: deniedText(approval) } });
