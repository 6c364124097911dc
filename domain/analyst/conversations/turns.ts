import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { notify } from '../../../data/postgres/notifications.ts';
import { deleteLakePins } from '../../tables/lake-maintenance/pins.ts';
import { cancelApprovals } from './approvals.ts';
import { type Conversation, updateConversation } from './conversations.ts';
import { appendEvents, type NewEvent } from './events.ts';
import { findMessage, insertMessage, type Message, partsOf, replyStates, updatePart } from './messages.ts';
import { countWaiting, queueChanged } from './queue.ts';
import { errorOf, messageView, partView, usageOf } from './views.ts';

/** The holder of a turn's snapshot pin. */
export const turnPin = (messageId: string): string => `turn/${messageId}`;

/** Longer than a turn's longest wait for a person plus its work. A turn releases its pin when it ends. */
export const turnPinMs = 25 * 3_600_000;

/** Who asked the question that a turn answers. */
export async function askerOf(
  db: OrganizationTransaction,
  { conversation, reply }: { conversation: Conversation; reply: Message },
): Promise<string> {
  const asked = await findMessage(db, conversation.organization_id, reply.answers_id ?? '');
  return asked?.created_by ?? conversation.created_by;
}

/** Whose rights together the statements of a turn have: the asker's, and those whom a run is also for. */
export async function actsForIn(
  db: OrganizationTransaction,
  held: { conversation: Conversation; reply: Message },
): Promise<string[]> {
  const { organization_id: organizationId, run_id: runId } = held.conversation;
  const run =
    runId === null
      ? undefined
      : await db
          .selectFrom('agent_runs')
          .select('also_for')
          .where('organization_id', '=', organizationId)
          .where('id', '=', runId)
          .executeTakeFirst();
  return [await askerOf(db, held), ...(run?.also_for ?? [])];
}

/** A question to the analyst. */
export interface Asked {
  message: string;
  displayContent: string | null;
  model: string;
  effort: Message['effort'];
  createdBy: string;
  /** Ids of the message and of its reply. */
  userMessageId: string;
  messageId: string;
}

/**
 * Starts a turn: adds the message and the pending reply. The caller holds the conversation's lock; it must
 * have no running turn.
 */
export async function startTurn(
  db: OrganizationTransaction,
  conversation: Conversation,
  asked: Asked,
): Promise<{ user: Message; reply: Message; events: NewEvent[] }> {
  const { organization_id, id: conversation_id } = conversation;
  const shared = { organization_id, conversation_id, model: asked.model, effort: asked.effort };
  const position = conversation.last_position + 1;
  const user = await insertMessage(db, {
    ...shared,
    id: asked.userMessageId,
    position,
    role: 'user',
    status: 'complete',
    content: asked.message,
    display_content: asked.displayContent,
    created_by: asked.createdBy,
    completed_at: new Date(),
  });
  const reply = await insertMessage(db, {
    ...shared,
    id: asked.messageId,
    position: position + 1,
    role: 'assistant',
    status: 'streaming',
    answers_id: user.id,
  });
  await updateConversation(db, organization_id, conversation_id, {
    last_position: position + 1,
    message_count: conversation.message_count + 2,
    updated_at: new Date(),
    due_since: new Date(),
  });
  const events = [user, reply].map(
    (message): NewEvent => ({
      event: 'message.created',
      data: { messageId: message.id, message: messageView(message) },
    }),
  );
  return { user, reply, events };
}

export interface TurnFailure {
  code: string;
  message: string;
}

/**
 * Ends a running reply once; a second call changes nothing. Streamed content stays; tools still running are
 * shown as cancelled. `events` precede those of the end. The caller holds the conversation's lock. Undefined
 * if the reply had already ended.
 */
export async function endTurn(
  db: OrganizationTransaction,
  conversation: Conversation,
  reply: Message,
  to: 'complete' | 'error' | 'cancelled',
  { failure, events = [] }: { failure?: TurnFailure; events?: readonly NewEvent[] } = {},
): Promise<Message | undefined> {
  if (replyStates.isEnd(reply.status)) return undefined;
  const ended = await replyStates.move(
    db,
    reply,
    reply.status,
    to,
    failure === undefined ? {} : { error_code: failure.code, error_message: failure.message },
  );
  if (ended === undefined) return undefined;
  await notify(db, 'reply_stops', ended.id);
  if (reply.status === 'waiting_approval') await cancelApprovals(db, ended);
  await deleteLakePins(db, ended.organization_id, turnPin(ended.id));
  await updateConversation(db, reply.organization_id, conversation.id, {
    updated_at: new Date(),
    due_since: new Date(),
  });
  await appendEvents(db, conversation, [
    ...events,
    ...(await stopTools(db, ended)),
    {
      event: 'turn.finished',
      data: {
        messageId: ended.id,
        status: ended.status,
        error: errorOf(ended),
        usage: usageOf(ended),
        completedAt: ended.completed_at?.toISOString() ?? null,
      },
    },
  ]);
  return ended;
}

async function stopTools(db: OrganizationTransaction, reply: Message): Promise<NewEvent[]> {
  const parts = (await partsOf(db, reply.organization_id, [reply.id])).get(reply.id) ?? [];
  const events: NewEvent[] = [];
  for (const part of parts) {
    if (part.status !== 'running' && part.status !== 'waiting_approval') continue;
    const stopped = await updatePart(db, part, { status: 'cancelled', summary: 'Cancelled.' });
    events.push({
      event: 'tool.finished',
      data: { messageId: reply.id, partIndex: part.part_index, part: partView(stopped) },
    });
  }
  return events;
}

/**
 * Ends a reply by a user's Stop. If messages are waiting, the queue is held, so that Stop stops the
 * conversation, unless the reply is interrupted for another message. The caller holds the conversation's
 * lock; returns its new row.
 */
export async function stopTurn(
  db: OrganizationTransaction,
  conversation: Conversation,
  reply: Message,
  { holdsQueue }: { holdsQueue: boolean },
): Promise<Conversation> {
  await endTurn(db, conversation, reply, 'cancelled');
  if (!holdsQueue || conversation.queue_held || (await countWaiting(db, conversation)) === 0)
    return conversation;
  const held = await updateConversation(db, conversation.organization_id, conversation.id, {
    queue_held: true,
  });
  await appendEvents(db, held, [await queueChanged(db, held, undefined)]);
  return held;
}
