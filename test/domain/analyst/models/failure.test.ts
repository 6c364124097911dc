import {
  APICallError,
  EmptyResponseBodyError,
  InvalidResponseDataError,
  JSONParseError,
  LoadAPIKeyError,
  TypeValidationError,
} from '@ai-sdk/provider';
import { InvalidToolInputError, NoSuchToolError, RetryError } from 'ai';
import { describe, expect, test } from 'vitest';
import { createRedaction } from '../../../../data/outgoing/redaction.ts';
import { modelFailure } from '../../../../domain/analyst/models/failure.ts';

const secret = 'sk-secret';

function answered(
  statusCode: number | undefined,
  more: { headers?: Record<string, string>; body?: string; cause?: unknown } = {},
): APICallError {
  return new APICallError({
    message: `said ${secret}`,
    url: `https://host/${secret}`,
    requestBodyValues: { secret },
    ...(statusCode === undefined ? {} : { statusCode }),
    responseHeaders: more.headers ?? {},
    responseBody: more.body ?? secret,
    cause: more.cause,
  });
}

const withCode = (code: string) => Object.assign(new Error(secret), { code });
const fetchFailed = (code: string) => new TypeError('fetch failed', { cause: withCode(code) });
const named = (name: string) => Object.assign(new Error(secret), { name });

describe('an answer of', () => {
  test.each([
    [400, 'model_refused', false],
    [401, 'model_credentials', false],
    [402, 'model_refused', false],
    [403, 'model_credentials', false],
    [404, 'model_not_found', false],
    [408, 'model_unavailable', true],
    [413, 'model_refused', false],
    [422, 'model_refused', false],
    [429, 'model_rate_limited', true],
    [500, 'model_unavailable', true],
    [503, 'model_unavailable', true],
    [529, 'model_unavailable', true],
  ])('%d is %s', (status, code, isRetryable) => {
    const failure = modelFailure(answered(status));
    expect(failure).toMatchObject({ code, isRetryable, retryAfterMs: undefined });
    expect(failure.message).toMatch(/^The model's provider answered \d{3}: .*\.$/);
    expect(failure.message).not.toContain(secret);
  });

  test('429 tells when to ask again', () => {
    const failure = modelFailure(answered(429, { headers: { 'retry-after': '20' } }));
    expect(failure).toEqual({
      code: 'model_rate_limited',
      message: "The model's provider answered 429: too many requests. Ask again in 20 seconds.",
      isRetryable: true,
      retryAfterMs: 20_000,
    });
    expect(modelFailure(answered(429)).message).toBe(
      "The model's provider answered 429: too many requests. Ask again in a minute.",
    );
  });

  test.each([
    [
      JSON.stringify({ error: { message: 'bad thing in your request', type: 'x' } }),
      'bad thing in your request',
    ],
    [JSON.stringify({ error: 'no such thing' }), 'no such thing'],
    [JSON.stringify({ detail: 'temperature\nis not allowed' }), 'temperature is not allowed'],
    [
      JSON.stringify({ message: `The key ${secret}, or sk-proj-0123456789abcdefgh, may not.` }),
      'The key [secret], or [key], may not.',
    ],
    [JSON.stringify({ error: { message: 'a'.repeat(400) } }), `${'a'.repeat(300)} …`],
  ])('400 with %s tells the reason, without keys', (body, reason) => {
    expect(modelFailure(answered(400, { body }), createRedaction([secret])).message).toBe(
      `The model's provider answered 400: it refused the request. Its reason: "${reason}".`,
    );
  });

  test.each(['', 'refused', '[]', '{"error": {"code": 7}}'])('400 with %j has no reason to tell', (body) => {
    expect(modelFailure(answered(400, { body })).message).toBe(
      "The model's provider answered 400: it refused the request.",
    );
  });

  test.each([
    ['insufficient_quota', 429, 'model_rate_limited'],
    ['context_length_exceeded', 400, 'model_context_exceeded'],
    ['prompt is too long: 210000 tokens > 200000 maximum', 400, 'model_context_exceeded'],
    ["This model's maximum context length is 8192 tokens.", 400, 'model_context_exceeded'],
    ['exceed_context_size_error', 400, 'model_context_exceeded'],
  ])('%s is not worth another try', (body, status, code) => {
    const said = JSON.stringify({ error: { message: body, code: body } });
    expect(modelFailure(answered(status, { body: said }))).toMatchObject({ code, isRetryable: false });
  });

  test.each([
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '1.5' }, 1_500],
    [{ 'Retry-After': '3600' }, 60_000],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() }, 60_000],
    [{ 'retry-after': new Date(0).toUTCString() }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '-5' }, undefined],
    [{}, undefined],
  ] as [Record<string, string>, number | undefined][])('429 with %j waits %s ms', (headers, waitMs) => {
    const found = modelFailure(answered(429, { headers })).retryAfterMs;
    expect(found).toBe(waitMs);
  });
});

describe('what is thrown or streamed', () => {
  test.each([
    ['no connection', answered(undefined, { cause: withCode('ECONNREFUSED') }), 'model_unavailable', true],
    ['no such host', fetchFailed('ENOTFOUND'), 'model_unavailable', true],
    ['a reset', fetchFailed('ECONNRESET'), 'model_unavailable', true],
    ['a timeout of the client', fetchFailed('UND_ERR_HEADERS_TIMEOUT'), 'model_unavailable', true],
    ['a broken answer', answered(200, { cause: new TypeError('terminated') }), 'model_unavailable', true],
    ['a time limit', new DOMException(secret, 'TimeoutError'), 'model_unavailable', true],
    ['a cancel', new DOMException(secret, 'AbortError'), 'model_cancelled', false],
    ['no body', new EmptyResponseBodyError(), 'model_answer_broken', true],
    ['no JSON', new JSONParseError({ text: secret, cause: new Error(secret) }), 'model_answer_broken', true],
    ['another shape', new TypeValidationError({ value: secret, cause: secret }), 'model_answer_broken', true],
    ['no answer at its end', new InvalidResponseDataError({ data: secret }), 'model_answer_broken', true],
    ['a page', answered(200, { cause: named('AI_JSONParseError') }), 'model_answer_broken', true],
    ['no such tool', new NoSuchToolError({ toolName: secret }), 'model_answer_broken', true],
    [
      'arguments that are none',
      new InvalidToolInputError({ toolName: secret, toolInput: '{', cause: new Error(secret) }),
      'model_answer_broken',
      true,
    ],
    ['no key', new LoadAPIKeyError({ message: secret }), 'model_credentials', false],
    ['overload in mid-stream', { type: 'overloaded_error', message: secret }, 'model_unavailable', true],
    [
      'a limit in mid-stream',
      { error: { code: 'rate_limit_exceeded', message: secret } },
      'model_rate_limited',
      true,
    ],
    ['a status in mid-stream', { code: 503, message: secret }, 'model_unavailable', true],
    ['text in mid-stream', secret, 'model_unavailable', true],
    ['anything else', new Error(secret), 'model_failed', true],
    ['nothing', undefined, 'model_failed', true],
  ])('%s is told for what it is', (_, error, code, isRetryable) => {
    const failure = modelFailure(error);
    expect(failure).toMatchObject({ code, isRetryable });
    expect(JSON.stringify(failure)).not.toContain(secret);
  });

  test('of several tries is the last', () => {
    const errors = [answered(500), answered(429, { headers: { 'retry-after': '2' } })];
    const error = new RetryError({ message: secret, reason: 'maxRetriesExceeded', errors });
    expect(modelFailure(error)).toMatchObject({ code: 'model_rate_limited', retryAfterMs: 2_000 });
  });

  test('in a circle comes to an end', () => {
    const error = new Error(secret);
    error.cause = error;
    expect(modelFailure(error).code).toBe('model_failed');
  });
});
