import type { ModelMessage, ToolSet } from 'ai';
import { jsonSchema, tool as sdkTool, streamText, ToolChoiceViolationError } from 'ai';
import { z } from 'zod';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import type { StepOutcome, TurnInput } from '../../../workflows/analyst/conversation/contract.ts';
import { actAs } from '../../workspace/organizations/rights.ts';
import { type OfferedTool, offeredTools } from '../app-connections/offered.ts';
import { appendEvents, type NewEvent } from '../conversations/events.ts';
import { lockTurn } from '../conversations/lifecycle.ts';
import { type Message, type MessagePart, partsOf, updateMessage } from '../conversations/messages.ts';
import { actsForIn } from '../conversations/turns.ts';
import { offlineId } from '../models/config.ts';
import { modelFailure } from '../models/failure.ts';
import type { Models } from '../models/models.ts';
import { askPerson } from './ask-person.ts';
import { instructions, unattendedInstructions } from './instructions.ts';
import { promptOf } from './prompt.ts';
import { type AnswerSize, maxTurnCharacters, readAnswer } from './read-answer.ts';
import {
  createReplyWriter,
  endStep,
  type ModelAnswer,
  outstanding,
  type StepTry,
  TurnEnded,
  WriteFailed,
} from './reply-writer.ts';
import { final, StepFailure } from './step-failure.ts';
import { addTokens, measureTokens, tokensUsed } from './token-usage.ts';
import { tools } from './tools/index.ts';
import type { Tool } from './tools/tool.ts';
import { writeReport } from './tools/write-report.ts';

const maxOutputTokens = 16_000;

export interface StepDeps {
  db: Database;
  models: Models;
  /** Tokens that an organization may use in a calendar month. */
  monthlyTokenBudget: number | undefined;
}

/**
 * Calls the model once, and writes its answer into the reply as it streams. Partial output of an earlier
 * attempt is removed first; a finished step is returned again. `isLast`: the model gets no tools, so that it
 * has to answer.
 *
 * @throws StepFailure; whatever else is ours
 */
export async function takeModelStep(
  deps: StepDeps,
  turn: TurnInput,
  { step, isLast, signal }: { step: number; isLast: boolean; signal: AbortSignal },
): Promise<StepOutcome> {
  const begun = await beginTry(deps, turn, step);
  if ('kind' in begun) return begun;
  try {
    const answer = await ask(deps, begun, isLast, signal);
    if (begun.reply.model !== offlineId) measureTokens(begun.reply.model, answer.usage);
    return await endStep(deps, begun.stepTry, answer, begun.offered);
  } catch (error) {
    if (error instanceof TurnEnded) return { kind: 'ended' };
    throw error;
  }
}

interface BegunTry {
  stepTry: StepTry;
  reply: Message;
  messages: ModelMessage[];
  size: AnswerSize;
  /** The turn belongs to a run: no person is present or can be asked. */
  isUnattended: boolean;
  /** Tools of the organization's apps. */
  offered: readonly OfferedTool[];
}

function beginTry(deps: StepDeps, turn: TurnInput, step: number): Promise<BegunTry | StepOutcome> {
  return inOrganization(deps.db, turn.organizationId, async (db) => {
    const held = await lockTurn(db, turn);
    if (held === undefined) return { kind: 'ended' };
    const { conversation, reply } = held;
    const parts = (await partsOf(db, turn.organizationId, [reply.id])).get(reply.id) ?? [];
    const done = await db
      .selectFrom('message_steps')
      .select('step')
      .where('organization_id', '=', turn.organizationId)
      .where('message_id', '=', reply.id)
      .where('step', '=', step)
      .executeTakeFirst();
    if (done !== undefined) {
      return outstanding(parts.filter((part) => part.step === step));
    }
    const halfSent = parts.filter((part) => part.step === step);
    if (halfSent.length > 0) {
      await db
        .deleteFrom('message_parts')
        .where('organization_id', '=', turn.organizationId)
        .where('message_id', '=', reply.id)
        .where('step', '=', step)
        .execute();
      const events = halfSent.map(
        (part): NewEvent => ({
          event: 'part.retracted',
          data: { messageId: reply.id, partIndex: part.part_index },
        }),
      );
      await appendEvents(db, conversation, events.reverse());
    }
    const model = found(deps, reply.model);
    if (deps.monthlyTokenBudget !== undefined && reply.model !== offlineId) {
      if ((await tokensUsed(db, turn.organizationId)) >= deps.monthlyTokenBudget)
        throw final(
          'token_budget_exceeded',
          'The organization has used all its tokens for this month. Use the offline analyst, which needs none.',
        );
    }
    const tried = await updateMessage(db, turn.organizationId, reply.id, { tries: reply.tries + 1 });
    await actAs(db, turn.organizationId, await actsForIn(db, { conversation, reply }));
    return {
      stepTry: { turn, step, number: tried.tries },
      reply: tried,
      messages: await promptOf(db, tried, model.contextTokens),
      size: { characters: 0, maxCharacters: maxTurnCharacters - charactersBefore(parts, step) },
      isUnattended: conversation.run_id !== null,
      offered: reply.model === offlineId ? [] : await offeredTools(db, turn.organizationId),
    };
  });
}

const charactersBefore = (parts: readonly MessagePart[], step: number): number =>
  parts.reduce((sum, part) => (part.step < step ? sum + part.text.length : sum), 0);

function found(deps: StepDeps, id: string) {
  const model = deps.models.find(id);
  if (model === undefined) throw final('model_unknown', `The model ${id} is no longer available.`);
  return model;
}

/**
 * The tools as described to the model, built once. The SDK never runs them itself; calls are validated where
 * they are made.
 */
const toolSetOf = (offered: readonly Pick<Tool, 'name' | 'description' | 'input'>[]): ToolSet =>
  Object.fromEntries(
    offered.map(({ name, description, input }) => [
      name,
      sdkTool({ description, inputSchema: jsonSchema(z.toJSONSchema(input, { io: 'input' }) as never) }),
    ]),
  );

const appToolSet = (offered: readonly OfferedTool[]): ToolSet =>
  Object.fromEntries(
    offered.map(({ name, description, inputSchema, connectionName }) => [
      name,
      sdkTool({
        description: `A tool of the app ${connectionName}: ${description}`,
        inputSchema: jsonSchema(inputSchema as never),
      }),
    ]),
  );

const attended = { instructions, tools: toolSetOf(tools) };
/** A run's answer becomes the report, so no tool may write one. */
const unattended = {
  instructions: `${instructions}\n${unattendedInstructions}`,
  tools: toolSetOf([...tools.filter((tool) => tool !== writeReport), askPerson]),
};

async function ask(
  deps: StepDeps,
  { stepTry, reply, messages, size, isUnattended, offered }: BegunTry,
  isLast: boolean,
  signal: AbortSignal,
): Promise<ModelAnswer> {
  const model = found(deps, reply.model);
  const stop = new AbortController();
  const abort = () => stop.abort(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  const given = isUnattended ? unattended : attended;
  const writer = createReplyWriter(deps.db, stepTry);
  try {
    const { fullStream } = streamText({
      model: model.model(),
      instructions: given.instructions,
      // What never changes first: providers cache the beginnings of prompts.
      tools: { ...given.tools, ...appToolSet(offered) },
      messages,
      toolChoice: isLast ? 'none' : 'auto',
      maxRetries: 0,
      maxOutputTokens,
      providerOptions: model.optionsFor(reply.effort ?? undefined) as never,
      abortSignal: stop.signal,
      // Reported where the stream is read.
      onError: () => undefined,
    });
    const answer = await readAnswer(fullStream, writer, size);
    return { ...answer, writeRest: await writer.finish() };
  } catch (error) {
    // Partial output is kept: the next attempt removes it, and after a failure it stays.
    await writer.flush().catch(() => undefined);
    await countUnfinished(deps, reply, messages, size).catch(() => undefined);
    if (error instanceof TurnEnded || error instanceof StepFailure) throw error;
    if (signal.aborted) throw signal.reason;
    if (error instanceof WriteFailed) throw error.cause;
    if (isLast && ToolChoiceViolationError.isInstance(error))
      throw final('turn_step_limit', 'The model kept calling tools without reaching an answer.');
    throw new StepFailure(modelFailure(error, model.redaction), error);
  } finally {
    signal.removeEventListener('abort', abort);
    stop.abort();
  }
}

const charactersPerToken = 4;

/** An unfinished answer is billed too, but its usage is not reported, so it is estimated. */
async function countUnfinished(
  { db, monthlyTokenBudget }: StepDeps,
  { organization_id: organizationId, model }: Message,
  messages: readonly ModelMessage[],
  { characters }: AnswerSize,
): Promise<void> {
  if (characters === 0 || model === offlineId) return;
  const used = {
    inputTokens: Math.ceil(JSON.stringify(messages).length / charactersPerToken),
    outputTokens: Math.ceil(characters / charactersPerToken),
  };
  measureTokens(model, used);
  await inOrganization(db, organizationId, (transaction) =>
    addTokens(transaction, organizationId, used, monthlyTokenBudget),
  );
}
