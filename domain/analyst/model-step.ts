import type { AssistantContent, ModelMessage, TextStreamPart, ToolSet } from 'ai';
import { tool as sdkTool, streamText, ToolChoiceViolationError } from 'ai';
import { type Database, inOrganization } from '../../data/postgres/client.ts';
import type { StepOutcome, TurnInput } from '../../workflows/conversation/contract.ts';
import { type NewEvent, tell } from '../conversations/events.ts';
import { holdTurn } from '../conversations/life.ts';
import { type Message, partsOf, updateMessage } from '../conversations/messages.ts';
import { type ModelFailure, modelFailure } from '../models/failure.ts';
import type { Models } from '../models/models.ts';
import { instructions } from './instructions.ts';
import { promptOf } from './prompt.ts';
import { createReplyWriter, endStep, type ModelAnswer, type StepTry, TurnEnded } from './reply-writer.ts';
import { tokensUsed } from './token-usage.ts';
import { tools } from './tools/index.ts';

/** Characters of one answer: text, thoughts and inputs of tools together. */
const maxAnswerCharacters = 200_000;
const maxCalls = 16;
const maxOutputTokens = 16_000;

export interface StepDeps {
  db: Database;
  models: Models;
  /** Tokens of models that an organization may use in a calendar month. */
  monthlyTokenBudget: number | undefined;
}

/** A model step that did not come to its end, with what to tell and whether another try may help. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure';
  readonly failure: StepFailureInfo;

  constructor(failure: StepFailureInfo, cause?: unknown) {
    super(failure.code, { cause });
    this.failure = failure;
  }
}

export interface StepFailureInfo extends Pick<ModelFailure, 'message' | 'isRetryable' | 'retryAfterMs'> {
  code: string;
}

const final = (code: string, message: string): StepFailure =>
  new StepFailure({ code, message, isRetryable: false, retryAfterMs: undefined });

const again = (code: string, message: string): StepFailure =>
  new StepFailure({ code, message, isRetryable: true, retryAfterMs: undefined });

/**
 * Asks the model once, and writes its answer into the reply as it comes. What an earlier try left half done is taken back
 * first; a step that was done is told again. `isLast`: the model gets no tools, so that it has to answer.
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
    return await endStep(deps.db, begun.stepTry, answer);
  } catch (error) {
    if (error instanceof TurnEnded) return { kind: 'ended' };
    throw error;
  }
}

interface BegunTry {
  stepTry: StepTry;
  reply: Message;
  messages: ModelMessage[];
}

function beginTry(deps: StepDeps, turn: TurnInput, step: number): Promise<BegunTry | StepOutcome> {
  return inOrganization(deps.db, turn.organizationId, async (db) => {
    const held = await holdTurn(db, turn);
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
      const running = parts.filter((part) => part.step === step && part.status === 'running');
      return { kind: 'tools', partIndexes: running.map((part) => part.part_index) };
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
      await tell(db, conversation, events.reverse());
    }
    const model = found(deps, reply.model);
    if (deps.monthlyTokenBudget !== undefined && reply.model !== 'offline') {
      if ((await tokensUsed(db, turn.organizationId)) >= deps.monthlyTokenBudget)
        throw final(
          'token_budget_exceeded',
          "The organization's tokens for this month are used up; the offline analyst needs none.",
        );
    }
    const tried = await updateMessage(db, turn.organizationId, reply.id, { tries: reply.tries + 1 });
    return {
      stepTry: { turn, step, number: tried.tries },
      reply: tried,
      messages: await promptOf(db, tried, model.contextTokens),
    };
  });
}

function found(deps: StepDeps, id: string) {
  const model = deps.models.find(id);
  if (model === undefined) throw final('model_unknown', `The model ${id} is not offered any more.`);
  return model;
}

/** What the model is told of the tools; it never runs one itself. */
const toolSet: ToolSet = Object.fromEntries(
  tools.map(({ name, description, input }) => [name, sdkTool({ description, inputSchema: input })]),
);

async function ask(
  deps: StepDeps,
  { stepTry, reply, messages }: BegunTry,
  isLast: boolean,
  signal: AbortSignal,
): Promise<ModelAnswer> {
  const model = found(deps, reply.model);
  const stop = new AbortController();
  const abort = () => stop.abort(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  const writer = createReplyWriter(deps.db, stepTry);
  try {
    const { fullStream } = streamText({
      model: model.model(),
      instructions,
      messages,
      tools: toolSet,
      toolChoice: isLast ? 'none' : 'auto',
      maxRetries: 0,
      maxOutputTokens,
      providerOptions: model.optionsFor(reply.effort ?? undefined) as never,
      abortSignal: stop.signal,
      // Told where the stream is read.
      onError: () => undefined,
    });
    const answer = await read(fullStream, writer);
    return { ...answer, writeRest: await writer.settle() };
  } catch (error) {
    // What came until here is kept: a next try takes it back, and a failure leaves it standing.
    await writer.flush().catch(() => undefined);
    if (error instanceof TurnEnded || error instanceof StepFailure) throw error;
    if (signal.aborted) throw signal.reason;
    if (isLast && ToolChoiceViolationError.isInstance(error))
      throw final('turn_step_limit', 'The model went on calling tools without coming to an answer.');
    throw new StepFailure(modelFailure(error), error);
  } finally {
    signal.removeEventListener('abort', abort);
    stop.abort();
  }
}

/** Reads one answer, part by part; deltas go to the reply as they come. */
async function read(
  stream: AsyncIterable<TextStreamPart<ToolSet>>,
  writer: ReturnType<typeof createReplyWriter>,
): Promise<Omit<ModelAnswer, 'writeRest'>> {
  const content: Exclude<AssistantContent, string> = [];
  const calls: ModelAnswer['calls'] = [];
  const texts = new Map<string, { type: 'text' | 'reasoning'; text: string; providerOptions?: never }>();
  const usage = { inputTokens: 0, outputTokens: 0 };
  let characters = 0;
  let finishReason: string | undefined;
  const count = (more: string) => {
    characters += more.length;
    if (characters > maxAnswerCharacters)
      throw final(
        'model_answer_too_long',
        `The model's answer has more than ${maxAnswerCharacters} characters.`,
      );
  };
  const grow = (type: 'text' | 'reasoning', id: string, text: string, metadata: unknown) => {
    const key = `${type} ${id}`;
    let part = texts.get(key);
    if (part === undefined) {
      part = { type, text: '' };
      texts.set(key, part);
      content.push(part);
      if (type === 'text') writer.startText();
    }
    part.text += text;
    if (metadata !== undefined) part.providerOptions = metadata as never;
  };
  for await (const part of stream) {
    switch (part.type) {
      case 'text-delta': {
        const text = storable(part.text);
        count(text);
        if (text === '') break;
        grow('text', part.id, text, part.providerMetadata);
        await writer.addText(text);
        break;
      }
      case 'reasoning-delta':
        count(part.text);
        grow('reasoning', part.id, storable(part.text), part.providerMetadata);
        break;
      case 'reasoning-end':
        if (part.providerMetadata !== undefined) grow('reasoning', part.id, '', part.providerMetadata);
        break;
      case 'tool-input-delta':
        count(part.delta);
        break;
      case 'tool-call': {
        if (calls.length >= maxCalls)
          throw final('model_answer_broken', `The model called more than ${maxCalls} tools at once.`);
        const input = storableInput(part.input);
        calls.push({ toolCallId: storable(part.toolCallId), name: storable(part.toolName), input });
        content.push({
          type: 'tool-call',
          toolCallId: storable(part.toolCallId),
          toolName: storable(part.toolName),
          // Providers take objects back, whatever the model sent.
          input: isObject(input) ? input : {},
          ...(part.providerMetadata === undefined ? {} : { providerOptions: part.providerMetadata }),
        });
        break;
      }
      case 'finish-step':
        usage.inputTokens = part.usage.inputTokens ?? 0;
        usage.outputTokens = part.usage.outputTokens ?? 0;
        finishReason = part.finishReason;
        break;
      case 'error':
        throw part.error;
      case 'abort':
        throw again('model_unavailable', 'The request to the model was given up.');
      default:
        break;
    }
  }
  refuseUnfinished(finishReason, content.length);
  return { content, calls, usage };
}

function refuseUnfinished(finishReason: string | undefined, parts: number): void {
  if (finishReason === 'content-filter')
    throw final('model_refused', "The model's provider withheld the answer.");
  if (finishReason === undefined || finishReason === 'error' || (finishReason as string) === 'interrupted')
    throw again(
      'model_unavailable',
      "The connection to the model's provider broke in the middle of its answer.",
    );
  if (parts === 0) throw again('model_answer_broken', "The model's answer was empty.");
}

/** PostgreSQL keeps no NUL, and no half of a character. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\u{FFFD}');

const maxInputCharacters = 2_200_000;

/** What a tool is called with: an object, or what came in place of one. */
function storableInput(input: unknown): unknown {
  const json = JSON.stringify(input) ?? 'null';
  if (json.length > maxInputCharacters)
    throw final('model_answer_too_long', 'The model called a tool with too much.');
  return JSON.parse(storable(json).replaceAll('\\u0000', '\\ufffd'));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
