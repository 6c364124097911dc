import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import { nextDocumentStep } from './document.ts';
import { readPrompt } from './prompt.ts';
import { nextStep, type Step } from './steps.ts';

/** Number of words in a delta. */
const wordsPerDelta = 4;

/** The offline analyst as a language model: a pure function of its prompt. */
export function offlineModel(): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'offline',
    modelId: 'offline',
    supportedUrls: {},
    doGenerate: async (options) => {
      options.abortSignal?.throwIfAborted();
      const step = await stepOf(options);
      const content = contentOf(step, options);
      return { content, finishReason: finishOf(step), usage: usageOf(options, content), warnings: [] };
    },
    doStream: async (options) => {
      options.abortSignal?.throwIfAborted();
      const step = await stepOf(options);
      return { stream: streamOf(partsOf(step, options), options.abortSignal) };
    },
  };
}

async function stepOf(options: LanguageModelV4CallOptions): Promise<Step> {
  const conversation = readPrompt(options);
  return conversation.isUnattended ? nextDocumentStep(conversation) : nextStep(conversation);
}

function contentOf(step: Step, options: LanguageModelV4CallOptions): LanguageModelV4Content[] {
  if (step.calls === undefined) return [{ type: 'text', text: step.text }];
  const ids = freshIds(options, step.calls.length);
  return step.calls.map(({ tool, input }, index) => ({
    type: 'tool-call',
    toolCallId: ids[index]!,
    toolName: tool,
    input: JSON.stringify(input),
  }));
}

/** Ids derived from the prompt that no call in it has. */
function freshIds({ prompt }: LanguageModelV4CallOptions, count: number): string[] {
  const taken = new Set<string>();
  for (const { content } of prompt) {
    if (typeof content === 'string') continue;
    for (const part of content) if ('toolCallId' in part) taken.add(part.toolCallId);
  }
  const ids: string[] = [];
  for (let number = prompt.length; ids.length < count; number += 1) {
    const id = `offline_${number}`;
    if (!taken.has(id)) ids.push(id);
  }
  return ids;
}

function finishOf(step: Step): LanguageModelV4FinishReason {
  return { unified: step.calls === undefined ? 'stop' : 'tool-calls', raw: undefined };
}

/** Counts four characters as one token, which is close to models' usage for English. */
function usageOf(
  { prompt }: LanguageModelV4CallOptions,
  content: LanguageModelV4Content[],
): LanguageModelV4Usage {
  const tokens = (value: unknown) => Math.ceil(JSON.stringify(value).length / 4);
  const [input, output] = [tokens(prompt), tokens(content)];
  return {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: output, text: output, reasoning: 0 },
  };
}

function* partsOf(step: Step, options: LanguageModelV4CallOptions): Generator<LanguageModelV4StreamPart> {
  const content = contentOf(step, options);
  yield { type: 'stream-start', warnings: [] };
  for (const part of content) {
    if (part.type === 'text') yield* textParts(part.text);
    else if (part.type === 'tool-call') {
      const { toolCallId: id, toolName, input } = part;
      yield { type: 'tool-input-start', id, toolName };
      yield { type: 'tool-input-delta', id, delta: input };
      yield { type: 'tool-input-end', id };
      yield part;
    }
  }
  yield { type: 'finish', finishReason: finishOf(step), usage: usageOf(options, content) };
}

function* textParts(text: string): Generator<LanguageModelV4StreamPart> {
  const id = 'text';
  yield { type: 'text-start', id };
  for (const delta of deltasOf(text)) yield { type: 'text-delta', id, delta };
  yield { type: 'text-end', id };
}

/** A few words at a time, each with the white space after it. */
function* deltasOf(text: string): Generator<string> {
  let start = 0;
  let words = 0;
  for (let at = 1; at < text.length; at += 1) {
    const isBegin = text[at] !== ' ' && text[at] !== '\n' && (text[at - 1] === ' ' || text[at - 1] === '\n');
    if (!isBegin) continue;
    words += 1;
    if (words < wordsPerDelta) continue;
    yield text.slice(start, at);
    start = at;
    words = 0;
  }
  if (start < text.length) yield text.slice(start);
}

function streamOf(
  parts: Iterator<LanguageModelV4StreamPart>,
  signal: AbortSignal | undefined,
): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream<LanguageModelV4StreamPart>({
    pull(controller) {
      if (signal?.aborted === true) return controller.error(signal.reason);
      const { done, value } = parts.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
  });
}
