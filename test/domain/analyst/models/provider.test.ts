import type { LanguageModelV4 } from '@ai-sdk/provider';
import { isStepCount, streamText, tool } from 'ai';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { readEnvironment } from '../../../../data/stores-config.ts';
import { modelsConfig, modelsEnvironment } from '../../../../domain/analyst/models/config.ts';
import { modelFailure } from '../../../../domain/analyst/models/failure.ts';
import { createModels, type Effort } from '../../../../domain/analyst/models/models.ts';
import { expectEventually } from '../../../support/eventually.ts';
import { type ModelScript, type ModelServer, startModelServer } from '../../../support/model-server.ts';

const key = 'sk-secret';
const offline = { specificationVersion: 'v4', modelId: 'offline' } as LanguageModelV4;
const tools = {
  run_query: tool({ description: 'Runs a query.', inputSchema: z.object({ sql: z.string() }) }),
};

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

function ask(url: string, options: { signal?: AbortSignal; effort?: Effort } = {}) {
  const env = { MODEL_BASE_URL: url, MODEL_IDS: 'qwen3', MODEL_API_KEY: key };
  const models = createModels(modelsConfig(readEnvironment(modelsEnvironment, env)), offline);
  const found = models.find('local/qwen3');
  if (found === undefined) throw new Error('There is no such model.');
  return streamText({
    model: found.model(),
    providerOptions: found.optionsFor(options.effort),
    prompt: 'How many rows?',
    tools,
    maxRetries: 0,
    stopWhen: isStepCount(1),
    onError: () => {},
    ...(options.signal === undefined ? {} : { abortSignal: options.signal }),
  });
}

/**
 * The result of a stream: its text, its tool calls, and the first error, whether in it or thrown when it
 * broke off.
 */
async function read(result: ReturnType<typeof ask>, onText?: (text: string) => void) {
  const seen = { text: '', reasoning: '', calls: [] as object[], error: undefined as unknown, end: '' };
  try {
    for await (const part of result.stream) {
      if (part.type === 'text-delta') {
        seen.text += part.text;
        onText?.(seen.text);
      }
      if (part.type === 'reasoning-delta') seen.reasoning += part.text;
      if (part.type === 'tool-call') seen.calls.push(part);
      if (part.type === 'error') seen.error ??= part.error;
      if (part.type === 'abort' || part.type === 'finish') seen.end ||= part.type;
    }
  } catch (error) {
    seen.error ??= error;
  }
  return seen;
}

async function answerOf(script: ModelScript) {
  server = await startModelServer(script);
  const result = ask(server.url);
  return { result, seen: await read(result) };
}

async function failureOf(script: ModelScript) {
  const { seen } = await answerOf(script);
  const failure = modelFailure(seen.error);
  for (const hidden of [key, '127.0.0.1', '"requestBodyValues"'])
    expect(JSON.stringify(failure)).not.toContain(hidden);
  return { ...failure, text: seen.text };
}

describe('a model', () => {
  test('is asked with its key, and its text streams', async () => {
    server = await startModelServer(() => ({ text: ['There ', 'are ', 'two.'], reasoning: 'Let me count' }));
    const texts: string[] = [];
    const seen = await read(ask(server.url, { effort: 'high' }), (text) => texts.push(text));
    expect(seen).toMatchObject({ text: 'There are two.', reasoning: 'Let me count', end: 'finish' });
    expect(texts).toEqual(['There ', 'There are ', 'There are two.']);
    const [request] = server.requests;
    expect(request?.headers.authorization).toBe(`Bearer ${key}`);
    expect(request?.body).toMatchObject({ model: 'qwen3', stream: true, reasoning_effort: 'high' });
    expect(request?.body.tools?.[0].function.name).toBe('run_query');
    expect(await request?.ended).toBe('answered');
  });

  test('tells how many tokens it took', async () => {
    const usage = { inputTokens: 1_200, outputTokens: 34, cachedTokens: 1_000, reasoningTokens: 4 };
    const { result } = await answerOf(() => ({ text: 'Two.', usage }));
    expect(await result.usage).toMatchObject({
      inputTokens: 1_200,
      outputTokens: 34,
      totalTokens: 1_234,
      inputTokenDetails: { cacheReadTokens: 1_000 },
      outputTokenDetails: { reasoningTokens: 4 },
    });
  });

  test('calls tools', async () => {
    const { result, seen } = await answerOf(() => ({
      text: 'I look.',
      toolCalls: [
        { name: 'run_query', arguments: '{"sql":"SELECT 1"}' },
        { name: 'run_query', arguments: '{"sql":"SELECT 2"}' },
      ],
    }));
    expect(seen.text).toBe('I look.');
    expect(seen.calls).toMatchObject([
      { toolCallId: 'call_0_0', toolName: 'run_query', input: { sql: 'SELECT 1' } },
      { toolCallId: 'call_0_1', toolName: 'run_query', input: { sql: 'SELECT 2' } },
    ]);
    expect(await result.finishReason).toBe('tool-calls');
  });

  test.each([
    ['arguments that are no JSON', 'run_query', '{"sql":'],
    ['arguments of another shape', 'run_query', '{"text":"SELECT 1"}'],
    ['a tool that is not there', 'drop_table', '{}'],
  ])('that calls with %s is told so, and the call is kept', async (_, name, given) => {
    const { seen } = await answerOf(() => ({ toolCalls: [{ name, arguments: given }] }));
    expect(seen.calls).toMatchObject([{ toolName: name, invalid: true }]);
    const [call] = seen.calls as [{ error: unknown }];
    expect(modelFailure(call.error)).toMatchObject({ code: 'model_answer_broken', isRetryable: true });
  });
});

describe('a provider', () => {
  test('that answers 429 says when to ask again', async () => {
    const body = { error: { message: 'body of the provider' } };
    const failure = await failureOf(() => ({ status: 429, headers: { 'retry-after': '7' }, body }));
    expect(failure).toMatchObject({
      code: 'model_rate_limited',
      message: expect.stringContaining('Its reason: "body of the provider".'),
      isRetryable: true,
      retryAfterMs: 7_000,
    });
  });

  test.each([
    [401, 'model_credentials'],
    [404, 'model_not_found'],
    [400, 'model_refused'],
    [529, 'model_unavailable'],
  ])('that answers %d is told for it', async (status, code) => {
    expect(await failureOf(() => ({ status, body: 'body of the provider' }))).toMatchObject({ code });
  });

  test('that breaks off in the middle of a word leaves what it said', async () => {
    const failure = await failureOf(() => ({ text: ['There a', 're two.'], cutAfter: 1 }));
    expect(failure).toMatchObject({ code: 'model_unavailable', isRetryable: true, text: 'There a' });
    expect(failure.message).toBe("The connection to the model's provider broke in the middle of its answer.");
  });

  test.each([
    ['nothing', [], 'model_answer_broken'],
    ['no JSON', ['data: {"choices":[{\n\n'], 'model_answer_broken'],
    ['another shape', ['data: {"choices":"none"}\n\n'], 'model_answer_broken'],
    ['no end', ['data: {"choices":[{"index":0,"delta":{"content":"There"}}]}\n\n'], 'model_answer_broken'],
    [
      'an error',
      ['data: {"error":{"message":"body of the provider","type":"overloaded_error"}}\n\n'],
      'model_unavailable',
    ],
  ])('that streams %s has not answered', async (_, raw, code) => {
    expect(await failureOf(() => ({ raw }))).toMatchObject({ code, isRetryable: true });
  });

  test('that is not there cannot be reached', async () => {
    const gone = await startModelServer(() => ({ text: '' }));
    await gone.close();
    const { error } = await read(ask(gone.url));
    expect(modelFailure(error)).toMatchObject({
      code: 'model_unavailable',
      message: expect.stringContaining('reach'),
    });
  });
});

test('a request for no stream is answered in one piece', async () => {
  server = await startModelServer((_, n) =>
    n === 0
      ? { text: 'A title', usage: { inputTokens: 3 } }
      : { toolCalls: [{ name: 'f', arguments: '{}' }] },
  );
  const post = async (url: string) => {
    const body = JSON.stringify({ model: 'm', messages: [] });
    return (await fetch(`${url}/chat/completions`, { method: 'POST', body })).json();
  };
  expect(await post(server.url)).toMatchObject({
    choices: [{ message: { content: 'A title' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 2 },
  });
  expect(await post(server.url)).toMatchObject({
    choices: [{ message: { content: null, tool_calls: [{ id: 'call_1_0' }] }, finish_reason: 'tool_calls' }],
  });
});

describe('a cancel', () => {
  test('of an endless answer ends it at the provider', async () => {
    server = await startModelServer(() => ({ endless: { delta: 'more ' } }));
    const stop = new AbortController();
    const result = ask(server.url, { signal: stop.signal });
    const seen = await read(result, (text) => text.length > 20 && stop.abort());
    expect(seen).toMatchObject({ end: 'abort', error: undefined });
    expect(await server.requests[0]?.ended).toBe('aborted');
    expect(server.requests[0]?.wasAborted).toBe(true);
  });

  test('of an answer that never begins ends it too', async () => {
    server = await startModelServer(() => ({ hang: true }));
    const stop = new AbortController();
    const reading = read(ask(server.url, { signal: stop.signal }));
    await expectEventually(() => server?.requests.length).toBe(1);
    stop.abort();
    expect((await reading).end).toBe('abort');
    expect(await server.requests[0]?.ended).toBe('aborted');
  });
});
