import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { AppError } from '../../../../data/errors.ts';
import { newId } from '../../../../data/ids.ts';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { cancelReply } from '../../../../domain/analyst/conversations/cancel.ts';
import { type ConversationId, lockNamed } from '../../../../domain/analyst/conversations/conversations.ts';
import { createConversation } from '../../../../domain/analyst/conversations/create.ts';
import { eventsAfter } from '../../../../domain/analyst/conversations/events.ts';
import {
  advanceConversation,
  failTurn,
  lockTurn,
} from '../../../../domain/analyst/conversations/lifecycle.ts';
import { findMessage } from '../../../../domain/analyst/conversations/messages.ts';
import { postMessage } from '../../../../domain/analyst/conversations/post.ts';
import {
  editQueued,
  getQueued,
  queuedView,
  removeQueued,
  resumeQueue,
} from '../../../../domain/analyst/conversations/queue.ts';
import { deleteConversation } from '../../../../domain/analyst/conversations/remove.ts';
import { type ShownConversation, showConversation } from '../../../../domain/analyst/conversations/show.ts';
import { endTurn } from '../../../../domain/analyst/conversations/turns.ts';
import { applied } from '../../../support/conversation-events.ts';
import type { Workspace } from '../../../support/workspace.ts';
import { apply, known, messageOf, nothingYet, type Operation, type Rules, shownBy } from './model.ts';

/** A conversation in the database, and the rules that it is compared with. */
export interface Lab {
  id: ConversationId;
  rules: Rules;
  /** Ids of queue entries, by their original text. */
  entries: Map<string, string>;
  /** Ids of replies, by the text that they answer. */
  replies: Map<string, string>;
  /** The shown state after each step. */
  shown: ShownConversation[];
}

export type Place = Pick<ConversationId, 'organizationId' | 'projectId'>;

const callerId = 'cli_test';
const nowhere = newId('msg', 0);

export async function newLab({ deps }: Workspace, place: Place): Promise<Lab> {
  const id = { ...place, conversationId: newId('cnv') };
  await createConversation(deps.db, { ...id, ...asked(known), title: 'Test', message: undefined });
  return { id, rules: nothingYet(), entries: new Map(), replies: new Map(), shown: [] };
}

function asked(model: string) {
  const ids = { userMessageId: newId('msg'), messageId: newId('msg'), queuedMessageId: newId('que') };
  return { callerId, displayContent: null, model, effort: null, ids };
}

/** Performs the operation, and returns the caller's answer in the words of the rules. */
export async function perform(workspace: Workspace, lab: Lab, operation: Operation): Promise<string> {
  try {
    return await attempt(workspace, lab, operation);
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

async function attempt(workspace: Workspace, lab: Lab, operation: Operation): Promise<string> {
  const { id } = lab;
  const { deps } = workspace;
  const { db } = deps;
  switch (operation.op) {
    case 'post': {
      const message = {
        ...asked(operation.model ?? known),
        message: operation.text,
        onBusy: operation.onBusy,
      };
      const posted = await postMessage({ db }, { ...id, ...message });
      if (posted.queuedMessage !== null) {
        expect(posted).toMatchObject({ messageId: null, userMessageId: null });
        lab.entries.set(operation.text, posted.queuedMessage.id);
        return `waits at ${posted.queuedMessage.position}`;
      }
      const { userMessageId, messageId } = message.ids;
      expect(posted).toMatchObject({ userMessageId, messageId });
      lab.replies.set(operation.text, messageId);
      const { interruptedId } = posted;
      return interruptedId === null
        ? 'begun'
        : `begun in place of ${await askedOf(workspace, lab, interruptedId)}`;
    }
    case 'cancel': {
      const { answer } = await cancelReply(db, id, lab.replies.get(operation.text) ?? nowhere);
      const { status, queueHeld } = answer;
      return `${status}${queueHeld ? ', held' : ''}`;
    }
    case 'edit':
    case 'remove': {
      const entryId = lab.entries.get(operation.text) ?? newId('que', 0);
      const row = await inOrganization(db, id.organizationId, async (transaction) => {
        const conversation = await lockNamed(transaction, id);
        if (operation.op === 'remove')
          return removeQueued(transaction, conversation, entryId, operation.expectedRevision);
        const { message } = await getQueued(transaction, conversation, entryId);
        const edits = Number(/edit (\d+)/.exec(message)?.[1] ?? 0) + 1;
        const change = { message: `${operation.text}, edit ${edits}` };
        return editQueued(transaction, conversation, entryId, change, {
          expectedRevision: operation.expectedRevision,
          editorId: 'usr_editor',
        });
      });
      return `${row.status} ${row.revision}`;
    }
    case 'resume':
      return inOrganization(db, id.organizationId, async (transaction) => {
        const resumed = await resumeQueue(transaction, await lockNamed(transaction, id));
        expect(resumed.queue_held).toBe(false);
        return 'done';
      });
    case 'advance': {
      const next = await advanceConversation(deps, id);
      if (next.kind === 'idle') return `idle, ${next.waiting} waiting${next.isHeld ? ', held' : ''}`;
      if (next.kind !== 'turn') return next.kind;
      return `turn of ${await askedOf(workspace, lab, next.messageId)}`;
    }
    case 'finish': {
      const turn = { ...id, messageId: lab.replies.get(operation.text) ?? nowhere };
      return inOrganization(db, id.organizationId, async (transaction) => {
        const held = await lockTurn(transaction, turn);
        if (held !== undefined) await endTurn(transaction, held.conversation, held.reply, 'complete');
        return 'done';
      });
    }
    case 'fail':
      await failTurn(db, { ...id, messageId: lab.replies.get(operation.text) ?? nowhere }, 'internal_error');
      return 'done';
    case 'delete':
      return inOrganization(db, id.organizationId, async (transaction) => {
        await deleteConversation(transaction, await lockNamed(transaction, id));
        return 'done';
      });
  }
}

/** The text that a reply answers. */
async function askedOf({ deps }: Workspace, lab: Lab, messageId: string): Promise<string> {
  for (const [text, reply] of lab.replies) if (reply === messageId) return text;
  const { organizationId } = lab.id;
  const { content } = await inOrganization(deps.db, organizationId, async (db) => {
    const reply = await findMessage(db, organizationId, messageId);
    return (await findMessage(db, organizationId, reply!.answers_id!))!;
  });
  lab.replies.set(content, messageId);
  return content;
}

/** The conversation as a client sees it, in the words of the rules; the shown state is kept. */
export async function look({ deps }: Workspace, lab: Lab): Promise<ReturnType<typeof shownBy>> {
  const shown = await showConversation(deps.db, lab.id).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  });
  if (shown === undefined) return 'not_found';
  lab.shown.push(shown);
  const { messages, conversation, activeTurn, queuedTurns } = shown;
  const textOf = new Map<string, string>();
  for (const [index, { id, role }] of messages.entries()) {
    if (role === 'assistant') textOf.set(id, messages[index - 1]!.content);
  }
  for (const [id, text] of textOf) lab.replies.set(text, id);
  return {
    messages: messages.map(({ role, status, content }) => ({ role, status, text: content })),
    messageCount: conversation.message_count,
    active: activeTurn === null ? null : textOf.get(activeTurn.id)!,
    queueHeld: conversation.queue_held,
    queue: queuedTurns.map((entry) => ({
      text: entry.message,
      position: entry.position,
      state: entry.state,
      held: entry.held,
      revision: entry.revision,
      behind: textOf.get(entry.behindMessageId) ?? '',
    })),
  };
}

/** Applies the operation to both, and expects the same answer from both. */
export async function take(workspace: Workspace, lab: Lab, operation: Operation): Promise<void> {
  const expected = apply(lab.rules, operation);
  expect(await perform(workspace, lab, operation)).toBe(expected);
}

/** The same, and expects both to show the same afterwards. */
export async function step(workspace: Workspace, lab: Lab, operation: Operation): Promise<void> {
  await take(workspace, lab, operation);
  same(await look(workspace, lab), shownBy(lab.rules));
}

/** Reports the difference if there is one; computing it costs more than everything else. */
function same(seen: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(seen, expected)) expect(seen).toEqual(expected);
}

/**
 * Applying the events up to any look gives what was shown there, and none of them is missing. Every entry of
 * the queue has the outcome that the rules give it.
 */
export async function settle({ deps }: Workspace, lab: Lab): Promise<void> {
  const { organizationId, conversationId } = lab.id;
  const { events, entries } = await inOrganization(deps.db, organizationId, async (db) => {
    const found = await eventsAfter(db, organizationId, conversationId, 0, 10_000);
    const ended = new Map<string, Awaited<ReturnType<typeof queuedView>>>();
    if (!lab.rules.isDeleted) {
      const conversation = await lockNamed(db, lab.id);
      for (const [text, id] of lab.entries)
        ended.set(text, await queuedView(db, conversation, await getQueued(db, conversation, id)));
    }
    return { events: found.map((event) => ({ ...event, data: JSON.parse(event.data) })), entries: ended };
  });
  expect(events.map(({ id }) => id)).toEqual(events.map((_event, index) => index + 1));
  for (const { lastEventId, messages, queuedTurns, conversation } of lab.shown) {
    const seen = { messages, queuedTurns, queueHeld: conversation.queue_held };
    same(applied(events.slice(0, lastEventId)), seen);
  }
  if (!lab.rules.isDeleted) expect(lab.shown.at(-1)?.lastEventId ?? 0).toBe(events.length);
  for (const [text, { state, revision, position, messageId, failureCode }] of entries) {
    const entry = lab.rules.entries.find((candidate) => candidate.text === text)!;
    expect({ state, revision, isPlaced: position > 0, failureCode }).toEqual({
      state: entry.state,
      revision: entry.revision,
      isPlaced: entry.state === 'queued',
      failureCode: entry.state === 'failed' ? 'model_unknown' : '',
    });
    expect(messageId).toBe(entry.state === 'dispatched' ? lab.replies.get(messageOf(entry)) : '');
  }
}
