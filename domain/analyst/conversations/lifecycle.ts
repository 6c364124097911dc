import { newId } from '../../../data/ids.ts';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import type {
  ConversationInput,
  ConversationNext,
  Decisions,
  TurnInput,
} from '../../../workflows/analyst/conversation/contract.ts';
import { findProject } from '../../workspace/projects/projects.ts';
import type { Models } from '../models/models.ts';
import { expireApprovals } from './approvals.ts';
import { type Conversation, lockConversation, updateConversation } from './conversations.ts';
import { appendEvents } from './events.ts';
import { activeReply, findMessage, type Message, partsOf, updateMessage } from './messages.ts';
import { countWaiting, listWaiting, type QueuedMessage, queueChanged, queuedStates } from './queue.ts';
import { endTurn, startTurn, stopTurn, type TurnFailure } from './turns.ts';

/**
 * What the conversation has to do next: continue the running turn, or start the turn of the first waiting
 * message in this transaction. A message whose turn cannot start is failed, and the next one is taken.
 */
export function advanceConversation(
  { db, models }: { db: Database; models: Models },
  { organizationId, conversationId }: ConversationInput,
): Promise<ConversationNext> {
  return inOrganization(db, organizationId, async (transaction) => {
    const held = await lockConversation(transaction, organizationId, conversationId);
    if (held === undefined) return { kind: 'gone' };
    if (held.deleted_at !== null) return { kind: 'deleted' };
    const row = await updateConversation(transaction, organizationId, conversationId, { due_since: null });
    const active = await activeReply(transaction, organizationId, conversationId);
    const messageId = active?.id ?? (await dispatchNext(transaction, row, models));
    const waiting = await countWaiting(transaction, row);
    if (messageId === undefined) return { kind: 'idle', waiting, isHeld: row.queue_held };
    await updateConversation(transaction, organizationId, conversationId, { due_since: null });
    return { kind: 'turn', messageId, waiting };
  });
}

/**
 * Starts the turn of the first waiting message that can start; undefined if none waits, or the queue is held.
 */
async function dispatchNext(
  db: OrganizationTransaction,
  conversation: Conversation,
  models: Models,
): Promise<string | undefined> {
  if (conversation.queue_held) return undefined;
  for (const entry of await listWaiting(db, conversation)) {
    const failure = await refusal(db, conversation, entry, models);
    if (failure !== undefined) {
      await queuedMoved(db, conversation, entry, 'failed', {
        failure_code: failure.code,
        failure_detail: failure.message,
      });
      continue;
    }
    const { user, reply, events } = await startTurn(db, conversation, {
      message: entry.message,
      displayContent: entry.display_content,
      model: entry.model,
      effort: entry.effort,
      createdBy: entry.created_by,
      userMessageId: newId('msg'),
      messageId: newId('msg'),
    });
    await appendEvents(db, conversation, events);
    await queuedMoved(db, conversation, entry, 'dispatched', {
      message_id: reply.id,
      user_message_id: user.id,
    });
    return reply.id;
  }
  return undefined;
}

async function queuedMoved(
  db: OrganizationTransaction,
  conversation: Conversation,
  entry: QueuedMessage,
  to: 'dispatched' | 'failed',
  change: Partial<QueuedMessage>,
): Promise<void> {
  const row = await queuedStates.move(db, entry, 'queued', to, { ...change, revision: entry.revision + 1 });
  await appendEvents(db, conversation, [await queueChanged(db, conversation, row)]);
}

/** Why the turn of a waiting message can no longer start. */
async function refusal(
  db: OrganizationTransaction,
  conversation: Conversation,
  entry: QueuedMessage,
  models: Models,
): Promise<TurnFailure | undefined> {
  if (models.find(entry.model) === undefined)
    return {
      code: 'model_unknown',
      message: `The model ${entry.model} is no longer available. GET /v1/models lists the available models.`,
    };
  const project = await findProject(db, conversation.organization_id, conversation.project_id);
  if (project?.archived_at == null) return undefined;
  return { code: 'project_archived', message: 'The project was archived while the message was waiting.' };
}

/**
 * The turn that an activity works on, locked with its conversation; undefined if it has ended or does not
 * exist any more.
 */
export async function lockTurn(
  db: OrganizationTransaction,
  { organizationId, conversationId, messageId }: TurnInput,
): Promise<{ conversation: Conversation; reply: Message } | undefined> {
  const conversation = await lockConversation(db, organizationId, conversationId);
  const reply = await findMessage(db, organizationId, messageId);
  if (conversation === undefined || conversation.deleted_at !== null) return undefined;
  if (reply === undefined || reply.completed_at !== null) return undefined;
  return { conversation, reply };
}

/** The decisions about a turn's waiting calls. Calls not decided in time are denied first. */
export function readDecisions(db: Database, turn: TurnInput): Promise<Decisions> {
  return inOrganization(db, turn.organizationId, async (transaction) => {
    const held = await lockTurn(transaction, turn);
    if (held === undefined) return { kind: 'ended' };
    await updateConversation(transaction, turn.organizationId, turn.conversationId, { due_since: null });
    const waitMs = await expireApprovals(transaction, held.conversation, held.reply);
    const parts = (await partsOf(transaction, turn.organizationId, [turn.messageId])).get(turn.messageId);
    const running = (parts ?? []).filter(({ status }) => status === 'running');
    return { kind: 'decided', partIndexes: running.map((part) => part.part_index), waitMs };
  });
}

/** Messages for turns that failed without an attempt of a step recording the reason. */
const failures: Readonly<Record<string, string>> = {
  turn_timeout: 'The answer took longer than ten minutes.',
  turn_step_limit: 'The analyst took too many steps without reaching an answer. Ask a smaller question.',
  overloaded: 'The organization has too many conversations running at once. Ask again shortly.',
  storage_unavailable: 'The data could not be read. Ask again shortly.',
  terminated: 'An operator ended the process of the conversation while it was answering.',
};
const unforeseen =
  'The answer failed because of an internal error. Ask again, or give the id of the answer to the operator.';

/** Records why an attempt failed, in case it was the last. */
export async function noteFailure(db: Database, turn: TurnInput, failure: TurnFailure): Promise<void> {
  await inOrganization(db, turn.organizationId, async (transaction) => {
    const held = await lockTurn(transaction, turn);
    if (held === undefined) return;
    await updateMessage(transaction, turn.organizationId, turn.messageId, {
      error_code: failure.code,
      error_message: failure.message,
    });
  });
}

/** Ends a turn as failed; an ended turn stays unchanged. */
export async function failTurn(db: Database, turn: TurnInput, code: string): Promise<void> {
  await inOrganization(db, turn.organizationId, async (transaction) => {
    const held = await lockTurn(transaction, turn);
    if (held === undefined) return;
    const { error_code: noted, error_message: said } = held.reply;
    const message = (noted === code ? said : null) ?? failures[code] ?? unforeseen;
    await endTurn(transaction, held.conversation, held.reply, 'error', { failure: { code, message } });
  });
}

/** Stops a turn as a user's Stop does. */
export async function cancelTurn(db: Database, turn: TurnInput): Promise<void> {
  await inOrganization(db, turn.organizationId, async (transaction) => {
    const held = await lockTurn(transaction, turn);
    if (held !== undefined) await stopTurn(transaction, held.conversation, held.reply, { holdsQueue: true });
  });
}

/** Whether the turn has ended, read without a lock. */
export async function isTurnOver(db: Database, { organizationId, messageId }: TurnInput): Promise<boolean> {
  const reply = await inOrganization(db, organizationId, (transaction) =>
    findMessage(transaction, organizationId, messageId),
  );
  return reply === undefined || reply.completed_at !== null;
}
