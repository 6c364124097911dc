import type { AssistantContent } from 'ai';
import { sql } from 'kysely';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import type { StepOutcome, TurnInput } from '../../../workflows/analyst/conversation/contract.ts';
import { extendLakePins } from '../../tables/lake-maintenance/pins.ts';
import type { OfferedTool } from '../app-connections/offered.ts';
import { requestApprovals } from '../conversations/approvals.ts';
import { type Conversation, updateConversation } from '../conversations/conversations.ts';
import { appendEvents, type NewEvent } from '../conversations/events.ts';
import { lockTurn } from '../conversations/lifecycle.ts';
import { addParts, type Message, type MessagePart, updateMessage } from '../conversations/messages.ts';
import { countWaiting } from '../conversations/queue.ts';
import { endTurn, turnPin, turnPinMs } from '../conversations/turns.ts';
import { partView } from '../conversations/views.ts';
import { offlineId } from '../models/config.ts';
import { callParts } from './app-tools.ts';
import { questionIn } from './ask-person.ts';
import { showInRun } from './run-steps.ts';
import { addTokens, type TokenCount } from './token-usage.ts';

/** The turn has ended, or a newer attempt works on it; this attempt's output is discarded. */
export class TurnEnded extends Error {
  override readonly name = 'TurnEnded';
}

/** The model's output could not be written, which is not the model's fault. */
export class WriteFailed extends Error {
  override readonly name = 'WriteFailed';
}

/** One attempt of a model step; only the newest one writes. */
export interface StepTry {
  turn: TurnInput;
  step: number;
  /** Counts the attempts of all steps of the reply. */
  number: number;
}

/**
 * Runs in a transaction that holds the conversation's lock, provided this attempt may still write the reply.
 */
function asTry<T>(
  db: Database,
  { turn, number }: StepTry,
  work: (db: OrganizationTransaction, conversation: Conversation, reply: Message) => Promise<T>,
): Promise<T> {
  return inOrganization(db, turn.organizationId, async (transaction) => {
    const held = await lockTurn(transaction, turn);
    if (held === undefined || held.reply.tries !== number) throw new TurnEnded('The turn has ended.');
    return work(transaction, held.conversation, held.reply);
  });
}

/** Deltas are collected for this long, except the first. */
const gatherMs = 50;
/**
 * Above this size text is written without waiting for the timer, and the caller has to wait for the database.
 */
const gatherCharacters = 16_384;

/** Writes a model's stream into its reply in batches; readers of its events see it as it arrives. */
export interface ReplyWriter {
  /** Opens the next text part. */
  startText(): void;
  /** Returns a promise to await if too much is pending. */
  addText(text: string): Promise<void> | undefined;
  /** Waits for the current write; the rest is written by the transaction that ends the step. */
  finish(): Promise<WriteRest>;
  /** Writes the rest. */
  flush(): Promise<void>;
}

/** Writes in the caller's transaction and returns the events to append. */
export type WriteRest = (db: OrganizationTransaction, reply: Message) => Promise<NewEvent[]>;

export function createReplyWriter(db: Database, stepTry: StepTry): ReplyWriter {
  /** Texts not written yet, by their part: `open` counts the parts of this step. */
  let pending: { part: number; text: string }[] = [];
  let pendingCharacters = 0;
  let open = -1;
  /** Index in the reply of each part created by this step. */
  const indexes = new Map<number, number>();
  let writing: Promise<void> = Promise.resolve();
  let isWriting = false;
  let lastWriteMs = 0;
  let timer: NodeJS.Timeout | undefined;
  let failure: unknown;
  /** No more text arrives, and no timer writes the rest. */
  let isSettled = false;

  async function write(): Promise<void> {
    if (pending.length === 0) return;
    lastWriteMs = performance.now();
    await asTry(db, stepTry, async (transaction, conversation, reply) => {
      await appendEvents(transaction, conversation, await writeRest(transaction, reply));
    });
  }

  async function writeRest(transaction: OrganizationTransaction, reply: Message): Promise<NewEvent[]> {
    const texts = pending;
    pending = [];
    pendingCharacters = 0;
    const events: NewEvent[] = [];
    for (const { part, text } of texts) {
      const partIndex = await append(transaction, reply, part, text);
      events.push({ event: 'text.delta', data: { messageId: reply.id, partIndex, text } });
    }
    return events;
  }

  async function append(
    transaction: OrganizationTransaction,
    reply: Message,
    part: number,
    text: string,
  ): Promise<number> {
    const known = indexes.get(part);
    if (known === undefined) {
      const [made] = await addParts(transaction, reply, [{ step: stepTry.step, type: 'text', text }]);
      indexes.set(part, made!.part_index);
      return made!.part_index;
    }
    await transaction
      .updateTable('message_parts')
      .set({ text: sql`text || ${text}` })
      .where('organization_id', '=', reply.organization_id)
      .where('message_id', '=', reply.id)
      .where('part_index', '=', known)
      .execute();
    return known;
  }

  function begin(): void {
    clearTimeout(timer);
    timer = undefined;
    if (isWriting || failure !== undefined) return;
    isWriting = true;
    writing = write()
      .catch((error: unknown) => {
        failure =
          error instanceof TurnEnded
            ? error
            : new WriteFailed('A reply could not be written.', { cause: error });
      })
      .finally(() => {
        isWriting = false;
        if (pending.length > 0) plan();
      });
  }

  function plan(): void {
    if (isWriting || isSettled || timer !== undefined) return;
    const dueMs = lastWriteMs + gatherMs - performance.now();
    if (lastWriteMs === 0 || dueMs <= 0 || pendingCharacters > gatherCharacters) begin();
    else timer = setTimeout(begin, dueMs);
  }

  return {
    startText() {
      open += 1;
    },
    addText(text) {
      if (failure !== undefined) throw failure;
      if (open < 0) open = 0;
      const last = pending.at(-1);
      if (last?.part === open) last.text += text;
      else pending.push({ part: open, text });
      pendingCharacters += text.length;
      plan();
      return pendingCharacters > gatherCharacters ? writing : undefined;
    },
    async finish() {
      isSettled = true;
      clearTimeout(timer);
      await writing;
      if (failure !== undefined) throw failure;
      return writeRest;
    },
    async flush() {
      await this.finish();
      await write();
    },
  };
}

/** PostgreSQL cannot store NUL, wherever a provider sends one. */
const storableJson = (value: unknown): string =>
  JSON.stringify(value).toWellFormed().replaceAll('\\u0000', '\\ufffd');

/** A complete answer of the model. */
export interface ModelAnswer {
  content: Exclude<AssistantContent, string>;
  calls: { toolCallId: string; name: string; input: unknown }[];
  usage: TokenCount;
  writeRest: WriteRest;
}

/** Whether nothing is waiting behind an ended turn, so that its process has nothing left to do. */
async function isQuiet(db: OrganizationTransaction, conversation: Conversation): Promise<boolean> {
  if ((await countWaiting(db, conversation)) > 0) return false;
  await updateConversation(db, conversation.organization_id, conversation.id, { due_since: null });
  return true;
}

/** What remains to be done for a recorded step. */
export function outstanding(parts: readonly MessagePart[]): StepOutcome {
  const running = parts.filter(({ status }) => status === 'running');
  const waits = parts.some(({ status }) => status === 'waiting_approval');
  return {
    kind: 'tools',
    partIndexes: running.map((part) => part.part_index),
    ...(waits ? { waits } : {}),
  };
}

/** Ends a step: its tool calls begin, or the reply is complete. */
export function endStep(
  { db, monthlyTokenBudget }: { db: Database; monthlyTokenBudget: number | undefined },
  stepTry: StepTry,
  answer: ModelAnswer,
  offered: readonly OfferedTool[],
): Promise<StepOutcome> {
  return asTry(db, stepTry, async (transaction, conversation, reply) => {
    const { organization_id: organizationId, id } = reply;
    const texts = await answer.writeRest(transaction, reply);
    await transaction
      .insertInto('message_steps')
      .values({
        organization_id: organizationId,
        message_id: id,
        step: stepTry.step,
        response: storableJson(answer.content),
      })
      .execute();
    const used = await updateMessage(transaction, organizationId, id, {
      input_tokens: reply.input_tokens + answer.usage.inputTokens,
      output_tokens: reply.output_tokens + answer.usage.outputTokens,
    });
    if (reply.model !== offlineId)
      await addTokens(transaction, organizationId, answer.usage, monthlyTokenBudget);
    const question = conversation.run_id === null ? undefined : questionIn(answer);
    if (question !== undefined) {
      const failure = { code: 'question_asked', message: question };
      await endTurn(transaction, conversation, used, 'error', { failure, events: texts });
      return { kind: 'ended' };
    }
    if (answer.calls.length === 0) {
      await endTurn(transaction, conversation, used, 'complete', { events: texts });
      return { kind: 'ended', isQuiet: await isQuiet(transaction, conversation) };
    }
    const parts = await addParts(
      transaction,
      reply,
      await callParts(transaction, conversation, { step: stepTry.step, calls: answer.calls, offered }),
    );
    const waiting = parts.filter(({ status }) => status === 'waiting_approval');
    const announced = parts
      .filter(({ status }) => status !== 'waiting_approval')
      .map(
        (part): NewEvent => ({
          event: part.status === 'running' ? 'tool.started' : 'tool.finished',
          data: { messageId: id, partIndex: part.part_index, part: partView(part) },
        }),
      );
    // A turn may wait several times, each time as long as a decision may take.
    if (waiting.length > 0)
      await extendLakePins(transaction, organizationId, turnPin(id), new Date(Date.now() + turnPinMs));
    const requested = await requestApprovals(transaction, used, waiting);
    await appendEvents(transaction, conversation, [...texts, ...announced, ...requested]);
    await showInRun(transaction, conversation, id);
    return outstanding(parts);
  });
}
