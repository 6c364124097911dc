import { createByteBudget } from '../../../data/outgoing/byte-budget.ts';
import { OutgoingError } from '../../../data/outgoing/errors.ts';
import type { Outgoing } from '../../../data/outgoing/outgoing.ts';

/** The outcome of a request as far as the sender knows. */
export type HttpOutcome =
  | { kind: 'answered'; status: number; words: string; retryAfterMs: number }
  /** Nothing was sent. */
  | { kind: 'not_sent'; message: string; permanent: boolean }
  /** The receiver may have it. */
  | { kind: 'lost'; message: string };

export interface HttpCall {
  url: string;
  headers?: Record<string, string>;
  body: Buffer;
  /** Limit for the whole call, including reading the answer. */
  timeoutMs: number;
  /** Secrets that an answer may repeat, to be redacted. */
  secrets: readonly string[];
}

const maxAnswerBytes = 65_536;
const maxWords = 200;
/** Longest honoured Retry-After; after a longer one the retry comes earlier than requested. */
const longestWaitMs = 3_600_000;

/** Posts JSON once. A redirect is treated like any other answer. */
export async function postJson(outgoing: Outgoing, call: HttpCall): Promise<HttpOutcome> {
  const signal = AbortSignal.timeout(call.timeoutMs);
  try {
    const response = await outgoing.fetch(call.url, {
      method: 'POST',
      // A reused connection may be closed when the request is sent, which could not be distinguished from a
      // lost request.
      headers: { ...call.headers, 'content-type': 'application/json', connection: 'close' },
      body: new Uint8Array(call.body),
      signal,
      budget: createByteBudget(maxAnswerBytes),
    });
    const { status, headers } = response;
    // Only the status matters; a body that breaks off changes nothing.
    const text = await response.text().catch(() => '');
    return {
      kind: 'answered',
      status,
      words: wordsOf(text, call.secrets),
      retryAfterMs: waitOf(headers.get('retry-after')),
    };
  } catch (error) {
    return outcomeOf(error, signal.aborted, call.timeoutMs);
  }
}

function outcomeOf(error: unknown, isLate: boolean, timeoutMs: number): HttpOutcome {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof OutgoingError)
      return { kind: 'not_sent', message: at.message, permanent: at.reason !== 'resolve' };
    const { code, syscall } = at as NodeJS.ErrnoException;
    if (syscall === 'connect' || code === 'UND_ERR_CONNECT_TIMEOUT' || isHandshake(code, at.message))
      return {
        kind: 'not_sent',
        message: `The service couldn't connect to the receiver (${code ?? 'TLS'}).`,
        permanent: false,
      };
    if (at instanceof AggregateError && at.errors.every(({ syscall: of }) => of === 'connect'))
      return { kind: 'not_sent', message: "The service couldn't connect to the receiver.", permanent: false };
  }
  return isLate
    ? { kind: 'lost', message: `The receiver didn't answer within ${timeoutMs / 1_000} seconds.` }
    : { kind: 'lost', message: 'The connection was lost before the receiver answered.' };
}

const isHandshake = (code: string | undefined, message: string): boolean =>
  (code !== undefined && /^(ERR_TLS|ERR_SSL|EPROTO|CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO_)/.test(code)) ||
  message.includes('before secure TLS connection');

/** The beginning of an answer in one line, without secrets. */
function wordsOf(text: string, secrets: readonly string[]): string {
  let shown = text;
  for (const secret of secrets) if (secret !== '') shown = shown.replaceAll(secret, '********');
  const line = shown
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  return Array.from(line).slice(0, maxWords).join('');
}

/** Parses seconds or a date. */
function waitOf(after: string | null): number {
  if (after === null) return 0;
  const waitMs = /^\d{1,9}$/.test(after.trim()) ? Number(after) * 1_000 : Date.parse(after) - Date.now();
  return Number.isNaN(waitMs) ? 0 : Math.min(Math.max(waitMs, 0), longestWaitMs);
}
