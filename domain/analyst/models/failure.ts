import { errorChain, isNetworkError, nameOf } from '../../../data/outgoing/error-chain.ts';
import { createRedaction, type Redaction } from '../../../data/outgoing/redaction.ts';
import { reasonOf } from './reason.ts';
import { retryAfterMs } from './retry-after.ts';

export type ModelFailureCode =
  | 'model_rate_limited'
  | 'model_credentials'
  | 'model_not_found'
  | 'model_refused'
  | 'model_context_exceeded'
  | 'model_unavailable'
  | 'model_answer_broken'
  | 'model_cancelled'
  | 'model_failed';

/**
 * Why a model did not answer, for users: of the provider's answer its own reason at most, and nothing of
 * addresses or keys.
 */
export interface ModelFailure {
  code: ModelFailureCode;
  message: string;
  /** Whether the same request may succeed later. */
  isRetryable: boolean;
  /** As requested by the provider; at most a minute. */
  retryAfterMs: number | undefined;
}

/** Classifies errors thrown by the AI SDK, and errors in its streams. */
export function modelFailure(error: unknown, redaction: Redaction = createRedaction([])): ModelFailure {
  const chain = errorChain(error);
  const names = chain.map(nameOf);
  if (names.includes('AbortError') || names.includes('ResponseAborted'))
    return failure('model_cancelled', 'The request to the model was cancelled.', false);
  if (names.includes('TimeoutError'))
    return failure('model_unavailable', "The model didn't answer in time.", true);
  const status = chain.map(statusOf).find((found) => found !== undefined);
  if (status !== undefined) return ofStatus(status, chain, redaction);
  if (chain.some(isNetworkError)) return broken(chain);
  return (
    ofName(names) ?? failure('model_failed', 'The request to the model failed for an unknown reason.', true)
  );
}

/** A request that was accepted but whose answer broke off has a success status. */
function broken(chain: readonly unknown[]): ModelFailure {
  const hadBegun = chain.some((error) => numberIn(error, 'statusCode') !== undefined);
  const message = hadBegun
    ? "The connection to the model's provider broke in the middle of its answer."
    : "The service couldn't reach the model's provider.";
  return failure('model_unavailable', message, true);
}

function ofStatus(status: number, chain: readonly unknown[], redaction: Redaction): ModelFailure {
  const waitMs = chain.map(retryAfterMs).find((found) => found !== undefined);
  const again = waitMs === undefined ? 'in a minute' : `in ${inSeconds(waitMs)}`;
  const said = `The model's provider answered ${status}`;
  const reason = reasonOf(chain, redaction);
  const because = reason === undefined ? '' : ` Its reason: "${reason}".`;
  if (status === 429 && includes(chain, ['insufficient_quota', 'billing_hard_limit']))
    return failure('model_rate_limited', `${said}: the quota of this key is used up.`, false);
  if (status === 429)
    return failure(
      'model_rate_limited',
      `${said}: too many requests. Ask again ${again}.${because}`,
      true,
      waitMs,
    );
  if (status === 401 || status === 403)
    return failure('model_credentials', `${said}: it doesn't accept the key.`, false);
  if (status === 404) return failure('model_not_found', `${said}: it has no such model.${because}`, false);
  if (status === 408 || status === 409 || status >= 500)
    return failure(
      'model_unavailable',
      `${said}: it isn't available. Ask again ${again}.${because}`,
      true,
      waitMs,
    );
  if (includes(chain, tooLong))
    return failure(
      'model_context_exceeded',
      `${said}: the conversation is longer than the model can read.`,
      false,
    );
  return failure('model_refused', `${said}: it refused the request.${because}`, false);
}

/** How providers report that a request exceeds their model's context. */
const tooLong = [
  'context_length_exceeded',
  'exceed_context_size',
  'exceeds the available context size',
  'maximum context length',
  'context window',
  'prompt is too long',
  'input is too long',
];

function includes(chain: readonly unknown[], words: readonly string[]): boolean {
  const text = chain.map(saidBy).join(' ').toLowerCase();
  return words.some((word) => text.includes(word));
}

/** An error's text, to be searched and never shown. */
function saidBy(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const parts = ['message', 'responseBody', 'code', 'type'].map((key) => Reflect.get(error, key));
  return parts
    .filter((part) => typeof part === 'string')
    .map((part) => part.slice(0, 10_000))
    .join(' ');
}

const byName: Readonly<Record<string, ModelFailure>> = {
  AI_NoSuchToolError: failure('model_answer_broken', "The model called a tool that doesn't exist.", true),
  AI_InvalidToolInputError: failure(
    'model_answer_broken',
    "The model called a tool with an input that isn't readable.",
    true,
  ),
  AI_EmptyResponseBodyError: failure('model_answer_broken', "The model's answer was empty.", true),
  AI_NoOutputGeneratedError: failure('model_answer_broken', "The model's answer was empty.", true),
  AI_NoContentGeneratedError: failure('model_answer_broken', "The model's answer was empty.", true),
  AI_LoadAPIKeyError: failure('model_credentials', "The key of the model's provider is missing.", false),
  AI_NoSuchModelError: failure('model_not_found', 'There is no such model.', false),
};
const unreadable = failure('model_answer_broken', "The model's answer isn't readable.", true);
const unreadableNames = [
  'AI_JSONParseError',
  'AI_TypeValidationError',
  'AI_InvalidResponseDataError',
  'AI_InvalidStreamPartError',
  'AI_ToolCallRepairError',
  'AI_UIMessageStreamError',
];
const unaskable = failure('model_refused', "The model doesn't support this kind of request.", false);
const unaskableNames = [
  'AI_UnsupportedFunctionalityError',
  'AI_InvalidPromptError',
  'AI_InvalidArgumentError',
  'AI_InvalidDataContentError',
  'AI_InvalidMessageRoleError',
  'AI_MessageConversionError',
  'AI_MissingToolResultsError',
];

/** By the first known name, because an outer error is more specific than its cause. */
function ofName(names: readonly string[]): ModelFailure | undefined {
  for (const name of names) {
    if (Object.hasOwn(byName, name)) return byName[name];
    if (unreadableNames.includes(name)) return unreadable;
    if (unaskableNames.includes(name)) return unaskable;
    // Errors with a status are already handled; what remains is an answer that cannot be read.
    if (name === 'AI_APICallError') return unreadable;
  }
  return names.includes('AI_StreamProviderError') || names.includes('provider error')
    ? failure('model_unavailable', "The model's provider failed in the middle of its answer.", true)
    : undefined;
}

/** The HTTP status of a failure, or the equivalent for an error in a stream. */
function statusOf(error: unknown): number | undefined {
  const status = numberIn(error, 'statusCode') ?? numberIn(error, 'code');
  if (status !== undefined) return status >= 400 && status <= 599 ? status : undefined;
  if (nameOf(error) !== 'provider error' && nameOf(error) !== 'AI_StreamProviderError') return undefined;
  const words = saidBy({ ...(error as object), message: '' }).toLowerCase();
  return byWord.find(([word]) => words.includes(word))?.[1];
}

const byWord: readonly [word: string, status: number][] = [
  ['insufficient_quota', 429],
  ['rate_limit', 429],
  ['overloaded', 529],
  ['authentication', 401],
  ['permission', 403],
  ['not_found', 404],
  ['context', 400],
  ['invalid_request', 400],
  ['timeout', 504],
];

function numberIn(error: unknown, key: string): number | undefined {
  const value: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, key) : undefined;
  return typeof value === 'number' ? value : undefined;
}

function inSeconds(waitMs: number): string {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return seconds === 1 ? 'a second' : `${seconds} seconds`;
}

function failure(
  code: ModelFailureCode,
  message: string,
  isRetryable: boolean,
  waitMs?: number | undefined,
): ModelFailure {
  return { code, message, isRetryable, retryAfterMs: waitMs };
}
