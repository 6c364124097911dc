import type { HttpAnswer } from '../../data-connections/sources/http-request.ts';

const firstPauseMs = 1_000;
const longestPauseMs = 60_000;

/**
 * How long a source asks to wait, in milliseconds: by `Retry-After`, or, if its limit is used up, by
 * `RateLimit` (both forms of its drafts) or `X-RateLimit-…`. After a 429 without either, the delay doubles
 * each time.
 */
export function retryDelayOf(
  { status, headers }: Pick<HttpAnswer, 'status' | 'headers'>,
  now: Date,
  refusals: number,
): number {
  const asked = status === 429 || status >= 500 ? retryAfter(headers.get('retry-after'), now) : undefined;
  const used = usedUp(headers, now);
  if (asked !== undefined || used > 0) return Math.max(asked ?? 0, used);
  return status === 429 ? Math.min(firstPauseMs * 2 ** Math.min(refusals, 10), longestPauseMs) : 0;
}

function retryAfter(text: string | null, now: Date): number | undefined {
  if (text === null) return undefined;
  if (/^\s*\d{1,9}\s*$/.test(text)) return Number(text) * 1_000;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : Math.max(0, time - now.getTime());
}

function usedUp(headers: Headers, now: Date): number {
  const listed = headers.get('ratelimit') ?? '';
  const [, remaining] = /(?:^|[;,\s])r(?:emaining)?\s*=\s*(\d{1,15})/.exec(listed) ?? [];
  const [, reset] = /(?:^|[;,\s])(?:t|reset)\s*=\s*(\d{1,15})/.exec(listed) ?? [];
  const pairs = [
    [remaining, reset],
    [headers.get('ratelimit-remaining'), headers.get('ratelimit-reset')],
    [headers.get('x-ratelimit-remaining'), headers.get('x-ratelimit-reset')],
  ];
  return Math.max(0, ...pairs.map(([left, until]) => (Number(left ?? 1) === 0 ? untilReset(until, now) : 0)));
}

/** Seconds from now, or, if too large for that, a Unix time in seconds. */
function untilReset(text: string | null | undefined, now: Date): number {
  const seconds = Number(text ?? Number.NaN);
  if (!Number.isFinite(seconds) || seconds < 0) return 0;
  return seconds < 1_000_000_000 ? seconds * 1_000 : Math.max(0, seconds * 1_000 - now.getTime());
}
