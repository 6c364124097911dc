import { setTimeout as delay } from 'node:timers/promises';
import { parseEvent, type SeenEvent } from '../support/conversation-events.ts';
import type { LoadContext } from './load/context.ts';
import type { Random } from './random.ts';

/** Reads a conversation's events from the first one, across every cut. */
export interface Follower {
  events: readonly SeenEvent[];
  /** False if it did not get that far in time. */
  reaches(id: number, timeoutMs: number): Promise<boolean>;
  close(): void;
}

/** Longer than a stream may be silent: then the other end is gone. */
const longestMs = 30_000;

export function follow(
  context: Pick<LoadContext, 'client' | 'journal' | 'signal'>,
  path: string,
  random: Random,
): Follower {
  const { client, journal } = context;
  const events: SeenEvent[] = [];
  const closed = new AbortController();
  const signal = AbortSignal.any([context.signal, closed.signal]);
  let last = 0;

  function take(event: SeenEvent): void {
    if (event.event === 'reset' || event.id !== last + 1)
      journal.breach('events', `${path}: ${event.event} ${event.id} after ${last}`);
    if (event.id <= last) return;
    last = event.id;
    events.push(event);
    journal.count('readers', 'events of conversations');
  }

  /** One connection, for as long as it lasts or this reader keeps it. */
  async function readOnce(): Promise<void> {
    const keptMs = random.chance(0.3) ? random.int(200, 5_000) : longestMs;
    const until = AbortSignal.any([signal, AbortSignal.timeout(keptMs)]);
    const incoming = await client.open({ kind: 'events', path: `${path}/events?after=${last}` }, until);
    if (incoming === undefined) return;
    incoming.setEncoding('utf8');
    let rest = '';
    try {
      for await (const chunk of incoming as AsyncIterable<string>) {
        const blocks = (rest + chunk).split('\n\n');
        rest = blocks.pop()!;
        for (const event of blocks.map(parseEvent)) if (event !== undefined) take(event);
      }
    } catch {
      // Cut: complete events count, and the next connection continues from there.
    }
  }

  void (async () => {
    while (!signal.aborted) {
      await readOnce();
      await delay(random.int(50, 400), undefined, { signal }).catch(() => {});
    }
  })();

  return {
    events,
    async reaches(id, timeoutMs) {
      const deadlineMs = Date.now() + timeoutMs;
      while (last < id && Date.now() < deadlineMs && !signal.aborted) await delay(50);
      return last >= id;
    },
    close: () => closed.abort(),
  };
}
