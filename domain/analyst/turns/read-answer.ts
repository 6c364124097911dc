import type { AssistantContent, TextStreamPart, ToolSet } from 'ai';
import type { ModelAnswer, ReplyWriter } from './reply-writer.ts';
import { again, final } from './step-failure.ts';
import { readInput } from './tool-input.ts';

/** Maximum characters of a turn: text, thoughts and tool inputs together. */
export const maxTurnCharacters = 200_000;
const maxCalls = 8;

/** How much of an answer has arrived, and its limit. */
export interface AnswerSize {
  characters: number;
  maxCharacters: number;
}

/** Reads one answer part by part; deltas are written to the reply as they arrive. */
export async function readAnswer(
  stream: AsyncIterable<TextStreamPart<ToolSet>>,
  writer: ReplyWriter,
  size: AnswerSize,
): Promise<Omit<ModelAnswer, 'writeRest'>> {
  const content: Exclude<AssistantContent, string> = [];
  const calls: ModelAnswer['calls'] = [];
  const texts = new Map<string, { type: 'text' | 'reasoning'; text: string; providerOptions?: never }>();
  const usage = { inputTokens: 0, outputTokens: 0 };
  let finishReason: string | undefined;
  const count = (more: string) => {
    size.characters += more.length;
    if (size.characters > size.maxCharacters)
      throw final(
        'model_answer_too_long',
        `The model's answer has more than ${maxTurnCharacters} characters.`,
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
        const given = storable(part.text);
        count(given);
        // Some models begin with empty lines, above all after their thoughts.
        const text = texts.has(`text ${part.id}`) ? given : given.trimStart();
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
        const written = storableInput(part.input);
        const read = readInput(written);
        const input = 'input' in read ? read.input : written;
        calls.push({ toolCallId: storable(part.toolCallId), name: storable(part.toolName), input });
        content.push({
          type: 'tool-call',
          toolCallId: storable(part.toolCallId),
          toolName: storable(part.toolName),
          // Providers accept only objects in the history, whatever the model sent.
          input: 'input' in read ? read.input : {},
          ...(part.providerMetadata === undefined ? {} : { providerOptions: part.providerMetadata }),
        });
        break;
      }
      case 'finish-step':
        usage.inputTokens = tokens(part.usage.inputTokens);
        usage.outputTokens = tokens(part.usage.outputTokens);
        finishReason = part.finishReason;
        break;
      case 'error':
        throw part.error;
      case 'abort':
        throw again('model_unavailable', 'The request to the model was stopped.');
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

const mostTokens = 1_000_000_000;

/** A count that can be stored, whatever the provider reports. */
const tokens = (reported: number | undefined): number =>
  Math.min(Math.max(Math.round(reported ?? 0) || 0, 0), mostTokens);

/** PostgreSQL stores neither NUL nor lone surrogates. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\u{FFFD}');

const maxInputCharacters = 2_200_000;

/** A tool's input: an object, or whatever was sent instead of one. */
function storableInput(input: unknown): unknown {
  const json = JSON.stringify(input) ?? 'null';
  if (json.length > maxInputCharacters)
    throw final('model_answer_too_long', 'The model called a tool with an input that is too large.');
  return JSON.parse(storable(json).replaceAll('\\u0000', '\\ufffd'));
}
