import { AppError } from '../../../data/errors.ts';
import { inOrganization, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import type { ProcessDeps } from '../../../data/processes/processes.ts';
import { getOpenProject } from '../../workspace/projects/projects.ts';
import {
  type Conversation,
  type ConversationId,
  lockNamed,
  titleOf,
  updateConversation,
} from './conversations.ts';
import { appendEvents } from './events.ts';
import { activeReply, countTurns, findMessage, type Message } from './messages.ts';
import { countWaiting, findQueued, insertQueued, maxWaiting, queueChanged, queuedView } from './queue.ts';
import { startTurn, stopTurn } from './turns.ts';
import type { QueuedMessageView } from './views.ts';

/** What to do with a message while another is being answered, or the queue is held. */
export type OnBusy = 'enqueue' | 'reject' | 'interrupt';

export interface NewMessage extends ConversationId {
  callerId: string;
  message: string;
  displayContent: string | null;
  model: string;
  effort: Message['effort'];
  onBusy: OnBusy;
  /** Ids for the rows the message may become. */
  ids: { userMessageId: string; messageId: string; queuedMessageId: string };
}

export interface Posted {
  /** Both are set if its turn began at once. */
  messageId: string | null;
  userMessageId: string | null;
  queuedMessage: QueuedMessageView | null;
  /** The last event included in this state. */
  lastEventId: number;
  /** The reply that was interrupted for it, if any. */
  interruptedId: string | null;
}

/** Accepts a message in one transaction: its turn begins, or it is queued. */
export function postMessage({ db }: Pick<ProcessDeps, 'db'>, post: NewMessage): Promise<Posted> {
  return inOrganization(db, post.organizationId, async (transaction) => {
    await getOpenProject(transaction, post.organizationId, post.projectId);
    const conversation = await lockNamed(transaction, post);
    return accept(transaction, conversation, post);
  });
}

/** The same in a transaction that holds the conversation's lock. */
export async function accept(
  db: OrganizationTransaction,
  conversation: Conversation,
  post: NewMessage,
): Promise<Posted> {
  const earlier = await repeated(db, conversation, post);
  if (earlier !== undefined) return earlier;
  const active = await activeReply(db, post.organizationId, conversation.id);
  const waiting = await countWaiting(db, conversation);
  const isBusy = active !== undefined || conversation.queue_held || waiting > 0;
  if (isBusy && post.onBusy === 'reject') throw busy(active, conversation);
  if (isBusy && post.onBusy === 'enqueue') return enqueue(db, conversation, post, active, waiting);
  if (active === undefined) await refuseTooMany(db, post.organizationId);
  if (active !== undefined) await stopTurn(db, conversation, active, { holdsQueue: false });
  return begin(db, conversation, post, active?.id ?? null);
}

async function begin(
  db: OrganizationTransaction,
  conversation: Conversation,
  post: NewMessage,
  interruptedId: string | null,
): Promise<Posted> {
  const { user, reply, events } = await startTurn(db, conversation, {
    ...post,
    ...post.ids,
    createdBy: post.callerId,
  });
  if (conversation.title === '')
    await updateConversation(db, post.organizationId, conversation.id, { title: titleOf(post.message) });
  const lastEventId = await appendEvents(db, conversation, events);
  return {
    messageId: reply.id,
    userMessageId: user.id,
    queuedMessage: null,
    lastEventId,
    interruptedId,
  };
}

async function enqueue(
  db: OrganizationTransaction,
  conversation: Conversation,
  post: NewMessage,
  active: Message | undefined,
  waiting: number,
): Promise<Posted> {
  if (waiting >= maxWaiting) {
    throw new AppError(
      'conversation_busy',
      `${maxWaiting} messages are already waiting, which is the limit. Wait for an answer, or remove a message first.`,
    );
  }
  const position = conversation.last_position + 1;
  const row = await insertQueued(db, {
    organization_id: conversation.organization_id,
    id: post.ids.queuedMessageId,
    conversation_id: conversation.id,
    position,
    status: 'queued',
    message: post.message,
    display_content: post.displayContent,
    model: post.model,
    effort: post.effort,
    behind_message_id: active?.id ?? null,
    created_by: post.callerId,
  });
  await updateConversation(db, post.organizationId, conversation.id, {
    last_position: position,
    updated_at: new Date(),
    due_since: new Date(),
  });
  const lastEventId = await appendEvents(db, conversation, [await queueChanged(db, conversation, row)]);
  return {
    messageId: null,
    userMessageId: null,
    queuedMessage: await queuedView(db, conversation, row),
    lastEventId,
    interruptedId: null,
  };
}

/** Answers of an organization that are under way or wait for their turn. */
const mostAnswers = 200;

/** More would be answered only in minutes, and keep the processes busy that others need. */
async function refuseTooMany(db: OrganizationTransaction, organizationId: string): Promise<void> {
  const { started, waiting } = await countTurns(db, organizationId);
  if (started + waiting < mostAnswers) return;
  throw new AppError(
    'rate_limited',
    `${mostAnswers} questions of the organization are running or waiting, which is the limit. Ask again when some of them are answered.`,
    { retryAfterSeconds: 5 },
  );
}

/** The result of an earlier attempt of the same request, whose answer was lost. */
async function repeated(
  db: OrganizationTransaction,
  conversation: Conversation,
  { organizationId, ids }: NewMessage,
): Promise<Posted | undefined> {
  const nothing = { interruptedId: null, lastEventId: 0 };
  const reply = await findMessage(db, organizationId, ids.messageId);
  if (reply !== undefined)
    return { ...nothing, messageId: reply.id, userMessageId: ids.userMessageId, queuedMessage: null };
  const row = await findQueued(db, organizationId, ids.queuedMessageId);
  if (row === undefined) return undefined;
  return {
    ...nothing,
    messageId: row.message_id,
    userMessageId: row.user_message_id,
    queuedMessage: await queuedView(db, conversation, row),
  };
}

function busy(active: Message | undefined, conversation: Conversation): AppError {
  const why =
    active === undefined
      ? conversation.queue_held
        ? 'Its queue is held. Resume it first.'
        : 'Messages are waiting in its queue.'
      : `It is answering ${active.answers_id}.`;
  return new AppError('conversation_busy', `The conversation is busy. ${why}`);
}
