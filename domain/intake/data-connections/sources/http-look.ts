import { setTimeout as sleep } from 'node:timers/promises';
import { RemoteFailure } from '../../../../data/outgoing/failure.ts';
import { ours } from '../failure.ts';
import { acquirePermit, countRedirect, type PermitWait } from '../request-gate.ts';
import { get, type HttpAnswer } from './http-request.ts';
import type { SourceTarget } from './source.ts';

/** Longer than any probe request takes. */
const leaseMs = 15_000;
const longestWaitMs = 5_000;

/** The limits of the policy do not allow a request soon enough. */
export class NoPermit extends RemoteFailure {}

interface LookOptions {
  maxBytes: number;
  signal: AbortSignal;
}

/**
 * GETs an address to test or sample a source. Counts towards the limits of the policy like any other request.
 *
 * @throws NoPermit if the limits would delay it by more than a few seconds
 */
export async function look(target: SourceTarget, url: URL, options: LookOptions): Promise<HttpAnswer> {
  const { gate, policy } = target;
  const { limits = {} } = policy ?? {};
  if (Object.keys(limits).length === 0) return get(target, url, options);
  const { maxBytes, signal } = options;
  const wait = patience(signal);
  const lease = await acquirePermit(gate, { limits, leaseMs, maxBytes, minBytes: 1 }, wait);
  let readBytes = lease.maxBytes;
  try {
    const answer = await get(target, url, {
      signal,
      maxBytes: lease.maxBytes,
      beforeHop: () => countRedirect(gate, { limits }, wait),
    });
    readBytes = answer.bytes.length;
    return answer;
  } finally {
    await ours(gate.release(lease, { readBytes, blockedForMs: 0 }));
  }
}

function patience(signal: AbortSignal): PermitWait {
  const giveUpAt = Date.now() + longestWaitMs;
  return async ({ waitMs }) => {
    if (Date.now() + waitMs > giveUpAt)
      throw new NoPermit(
        'request',
        `The request limits in http_replication allow no request for the next ${Math.ceil(waitMs / 1_000)} s. Try again after that.`,
      );
    await sleep(waitMs, undefined, { signal });
  };
}
