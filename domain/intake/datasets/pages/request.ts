import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { OutgoingError } from '../../../../data/outgoing/errors.ts';
import { RemoteFailure } from '../../../../data/outgoing/failure.ts';
import type { OrganizationTransaction } from '../../../../data/postgres/client.ts';
import { InternalFailure, ours, sourceFailure } from '../../data-connections/failure.ts';
import { acquirePermit, countRedirect, type RequestLease } from '../../data-connections/request-gate.ts';
import type { LimitedFor, WaitsFor } from '../../data-connections/request-limits.ts';
import { httpStage } from '../../data-connections/sources/http.ts';
import { get, type HttpAnswer, refuseStatus } from '../../data-connections/sources/http-request.ts';
import type { SourceTarget } from '../../data-connections/sources/source.ts';
import type { PagesAhead } from './ahead.ts';
import type { BrokenPage, ParsedPage } from './parse.ts';
import { retryDelayOf } from './retry-delay.ts';

/** Shared by all requests of a reading. */
export interface Requests {
  target: SourceTarget;
  signal: AbortSignal;
  /** Time (epoch milliseconds) after which no limit is waited for. */
  deadline: number;
  /** Timeout of one answer; 60 seconds by default. */
  answerMs?: number;
  /** Consecutive answers that asked to wait. */
  refusals: number;
  /** Runs in the transaction that grants a permit. */
  onRequest: (db: OrganizationTransaction) => Promise<void>;
}

export interface PageRequests extends Requests {
  ahead: PagesAhead;
  /** @throws RemoteFailure if an answer does not match the policy */
  parse: (answer: Pick<HttpAnswer, 'bytes' | 'headers'>) => Promise<ParsedPage | BrokenPage>;
}

export interface Page extends ParsedPage {
  url: URL;
  bytes: number;
  digest: string;
}

/** The limits do not allow a request soon enough. Not a failure: the reading continues later. */
export class LimitWait extends Error {
  override readonly name = 'LimitWait';
  readonly waitMs: number;
  readonly waitsFor: WaitsFor;

  constructor({ waitMs, waitsFor }: LimitedFor) {
    super(`The request limits of the source allow no request for ${waitMs} ms.`);
    this.waitMs = waitMs;
    this.waitsFor = waitsFor;
  }
}

/** After two timeouts in a row, a third attempt is unlikely to be faster. */
class SlowAnswer extends RemoteFailure {}

const defaultAnswerMs = 60_000;
const maxSlowAnswers = 2;
/** How long the request of a killed worker holds its slot, and how often a running one renews its lease. */
const leaseMs = 30_000;
const renewEveryMs = 5_000;
/** Longer waits use a timer of the workflow. */
const longestWaitMs = 10_000;
const maxAttempts = 5;
const firstBackoffMs = 500;
/** In a row; with the pauses between them, this takes days. */
const maxRefusals = 100;
const defaultAnswerBytes = 16_777_216;
/** Upper limit regardless of the policy, since an answer is held in memory. */
const maxAnswerBytes = 67_108_864;
/** Limit of a prefetched answer; several are held at once. */
export const earlyBytes = 4_194_304;

/**
 * Requests one page. Transient errors are retried: lost connections, truncated answers, 5xx, and 429 for as
 * long as the source asks to wait. Undefined if the answer has one of the `missing` statuses.
 *
 * @throws RemoteFailure; LimitWait
 */
export async function requestPage(
  requests: PageRequests,
  url: URL,
  missing: readonly number[],
): Promise<Page | undefined> {
  const { signal } = requests;
  let minBytes = 1;
  let brokenDigest: string | undefined;
  let outcome: Outcome | undefined = await requests.ahead.take(url);
  for (let attempt = 1; ; outcome = undefined) {
    let allowedBytes = 0;
    if (outcome === undefined) {
      const lease = await leave(requests, minBytes);
      allowedBytes = lease.maxBytes;
      outcome = await send(requests, url, lease).catch((error: unknown) => {
        signal.throwIfAborted();
        return sourceFailureOf(error, requests);
      });
    }
    if (outcome === 'cut') {
      minBytes = 2 * allowedBytes;
    } else if (outcome === 'refused') {
      requests.refusals += 1;
      if (requests.refusals > maxRefusals)
        throw new RemoteFailure(
          'request',
          `The source asked the service to wait ${maxRefusals} times in a row.`,
        );
    } else if (outcome instanceof RemoteFailure) {
      if (attempt >= attemptsOf(outcome)) throw outcome;
      await sleep(firstBackoffMs * 2 ** (attempt - 1), undefined, { signal });
      attempt += 1;
    } else {
      requests.refusals = 0;
      if (missing.includes(outcome.status)) return undefined;
      refuseStatus(outcome);
      const { bytes, url: at } = outcome;
      const page = await requests.parse(outcome);
      const digest = createHash('sha256').update(bytes).digest('base64');
      if (!('broken' in page)) return { ...page, url: at, bytes: bytes.length, digest };
      // A truncated answer is truncated elsewhere on retry; the same bytes twice are a permanent error.
      if (attempt === maxAttempts || digest === brokenDigest) throw new RemoteFailure('request', page.broken);
      brokenDigest = digest;
      attempt += 1;
    }
  }
}

/** Prefetches a page unless it is large; undefined if it has to be requested again. */
export async function requestEarly(requests: Requests, url: URL): Promise<HttpAnswer | undefined> {
  const outcome = await send(requests, url, await leave(requests, 1, earlyBytes));
  return typeof outcome === 'string' || outcome instanceof RemoteFailure ? undefined : outcome;
}

/** Waits for a permit to send one more request. */
async function leave(
  requests: Requests,
  minBytes: number,
  mostBytes = maxAnswerBytes,
): Promise<RequestLease> {
  const { target, signal, deadline, onRequest } = requests;
  const limits = target.policy?.limits ?? {};
  const maxBytes = Math.min(limits.max_response_bytes_per_request ?? defaultAnswerBytes, mostBytes);
  const bounds = { leaseMs, maxBytes, minBytes: Math.min(minBytes, maxBytes) };
  signal.throwIfAborted();
  return acquirePermit(target.gate, { ...bounds, limits, onTaken: onRequest }, (limited) =>
    waitFor(limited, deadline, signal),
  );
}

async function waitFor(limited: LimitedFor, deadline: number, signal: AbortSignal): Promise<void> {
  const { waitMs } = limited;
  if (waitMs > longestWaitMs || Date.now() + waitMs > deadline) throw new LimitWait(limited);
  await sleep(waitMs, undefined, { signal });
}

/** `cut` if the hourly byte limit ends within the answer; `refused` if the source asks to wait. */
type Outcome = HttpAnswer | RemoteFailure | 'cut' | 'refused';

async function send(requests: Requests, url: URL, lease: RequestLease): Promise<Outcome> {
  const { target, signal, onRequest } = requests;
  const { limits = {} } = target.policy ?? {};
  const { response_bytes_per_hour: bytesPerHour } = limits;
  const isCutShort = bytesPerHour !== undefined && lease.maxBytes < Math.min(bytesPerHour, largest(target));
  // Until the size is known, all bytes that were allowed.
  let readBytes = lease.maxBytes;
  let blockedForMs = 0;
  const renewing = setInterval(() => {
    target.gate.renew(lease, leaseMs).catch(() => undefined);
  }, renewEveryMs);
  try {
    const answer = await get(target, url, {
      maxBytes: lease.maxBytes,
      signal: AbortSignal.any([signal, AbortSignal.timeout(requests.answerMs ?? defaultAnswerMs)]),
      beforeHop: () =>
        countRedirect(target.gate, { limits, onTaken: onRequest }, (limited) =>
          waitFor(limited, Number.POSITIVE_INFINITY, signal),
        ),
    });
    readBytes = answer.bytes.length;
    const { status } = answer;
    const patience = retryDelayOf(answer, new Date(), requests.refusals);
    blockedForMs = patience;
    if (status === 429 || (status === 503 && answer.headers.has('retry-after'))) return 'refused';
    return status >= 500 || status === 408 || status === 425
      ? new RemoteFailure('connect', `The source answered ${status}.`)
      : answer;
  } catch (error) {
    if (isCutShort && error instanceof OutgoingError && error.reason === 'too_large') return 'cut';
    throw error;
  } finally {
    clearInterval(renewing);
    await ours(target.gate.release(lease, { readBytes, blockedForMs }));
  }
}

function largest(target: SourceTarget): number {
  return Math.min(
    target.policy?.limits?.max_response_bytes_per_request ?? defaultAnswerBytes,
    maxAnswerBytes,
  );
}

function sourceFailureOf(error: unknown, { target, answerMs = defaultAnswerMs }: Requests): RemoteFailure {
  if (error instanceof LimitWait || error instanceof InternalFailure) throw error;
  if (error instanceof Error && error.name === 'TimeoutError')
    return new SlowAnswer(
      'request',
      `The source took longer than ${answerMs / 1_000} s to answer, ${maxSlowAnswers} times in a row.`,
    );
  return sourceFailure(error, { redaction: target.redaction, stageOf: httpStage });
}

/** Number of attempts for a failure. What the source rejects is not retried. */
function attemptsOf(failure: RemoteFailure): number {
  if (failure instanceof SlowAnswer) return maxSlowAnswers;
  return failure.stage === 'connect' || failure.stage === 'resolve' ? maxAttempts : 1;
}
