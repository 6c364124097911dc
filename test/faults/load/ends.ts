import type { LoadContext } from './context.ts';
import { pauseBetween } from './rows-lanes.ts';

/** A process without an end for that long after the load is over and everything is up is stuck. */
const stuckMs = 180_000;

/**
 * What the process at the path has become when it has ended; undefined if it is stuck. While there is load, the
 * machine decides how long anything takes.
 */
export async function endOf(
  context: LoadContext,
  path: string,
  isEnded: (data: Record<string, unknown>) => boolean = ({ finishedAt }) => finishedAt !== null,
): Promise<Record<string, unknown> | undefined> {
  const { client, signal } = context;
  const startMs = Date.now();
  const isStuck = () =>
    context.restSinceMs !== undefined && Date.now() > Math.max(startMs, context.restSinceMs) + stuckMs;
  while (!isStuck() && !signal.aborted) {
    const settled = await client.settle({ kind: 'end of a process', method: 'GET', path });
    const data = settled.outcome === 'acknowledged' ? settled.answer.body.data : undefined;
    if (data !== undefined && isEnded(data)) return data;
    await pauseBetween(context, 250);
  }
  return undefined;
}
