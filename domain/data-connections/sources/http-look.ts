import { setTimeout as sleep } from 'node:timers/promises';
import { ours, SourceFailure } from '../failure.ts';
import type { RequestLease } from '../request-gate.ts';
import { get, type HttpAnswer } from './http-request.ts';
import type { SourceTarget } from './source.ts';

/** Longer than a look may take. */
const leaseMs = 15_000;
const longestWaitMs = 5_000;

/** The limits of the policy let nothing out for a while. */
export class NoLeave extends SourceFailure {}

interface LookOptions {
  maxBytes: number;
  signal: AbortSignal;
}

/**
 * GETs an address to test or sample a source. It counts towards the limits of its policy like every other request.
 *
 * @throws NoLeave where those let nothing out for some seconds
 */
export async function look(target: SourceTarget, url: URL, options: LookOptions): Promise<HttpAnswer> {
  const { limits = {} } = target.policy ?? {};
  if (Object.keys(limits).length === 0) return get(target, url, options);
  const lease = await leave(target, options, limits);
  const { max_concurrency: _, ...ofRedirects } = limits;
  let readBytes = lease.maxBytes;
  try {
    const answer = await get(target, url, {
      ...options,
      maxBytes: lease.maxBytes,
      // A redirect is a request too; it is part of one that is under way.
      beforeHop: async () => settle(target, await leave(target, { ...options, maxBytes: 0 }, ofRedirects), 0),
    });
    readBytes = answer.bytes.length;
    return answer;
  } finally {
    await settle(target, lease, readBytes);
  }
}

async function leave(
  { pace }: SourceTarget,
  { maxBytes, signal }: LookOptions,
  limits: NonNullable<NonNullable<SourceTarget['policy']>['limits']>,
): Promise<RequestLease> {
  const giveUpAt = Date.now() + longestWaitMs;
  const wish = { limits, leaseMs, maxBytes, minBytes: Math.min(1, maxBytes) };
  for (;;) {
    signal.throwIfAborted();
    const lease = await ours(pace.take(wish));
    if ('id' in lease) return lease;
    if (Date.now() + lease.waitMs > giveUpAt)
      throw new NoLeave(
        'request',
        `The limits of http_replication let no request out for ${Math.ceil(lease.waitMs / 1_000)} s: try again then.`,
      );
    await sleep(lease.waitMs, undefined, { signal });
  }
}

const settle = ({ pace }: SourceTarget, lease: RequestLease, readBytes: number): Promise<void> =>
  ours(pace.settle(lease, { readBytes, blockedForMs: 0 }));
