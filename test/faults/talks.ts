import { setTimeout as delay } from 'node:timers/promises';
import type { StatementOutcome } from './client.ts';
import { compareTalk } from './compare-talk.ts';
import { type Follower, follow } from './follow.ts';
import type { LoadContext } from './load/context.ts';
import { createRandom } from './random.ts';

// biome-ignore lint/suspicious/noExplicitAny: messages as clients see them have any shape.
export type Data = any;

/** A talker's message, and what its client was told of it. */
export interface Post {
  tag: string;
  talker: number;
  onBusy: 'enqueue' | 'reject' | 'interrupt';
  model: string;
  /** Its possible texts: more than one after an edit with an unknown outcome. */
  questions: string[];
  fate: 'open' | 'acknowledged' | 'refused';
  /** The resulting message, if its client was told. */
  userMessageId: string | undefined;
  queuedId: string | undefined;
  isEdited: boolean;
  removal: 'none' | 'asked' | 'acknowledged';
}

/** A conversation as a GET showed it. */
export interface Shown {
  messages: Data[];
  queuedTurns: Data[];
  queueHeld: boolean;
  lastEventId: number;
}

/** A conversation of the load, and everything that is known of it. */
export interface Talk {
  no: number;
  path: string;
  posts: Post[];
  /** Replies for which a Stop was about to be sent. */
  stops: Set<string>;
  /** How replies ended, according to the answers to Stops. */
  ends: Map<string, string>;
  shown: Shown[];
  /** The number of operations in progress by its talkers. */
  busy: number;
  isHeld: boolean;
  follower: Follower;
}

/** The conversations of the load. */
export interface Talks {
  open(path: string): Talk;
  /** No one posts to it any more: it comes to rest and is compared with what was acknowledged. */
  leave(talk: Talk): void;
  /** Leaves all of them, and waits until they are compared. */
  finish(): Promise<void>;
}

/** A conversation without any change for that long, without load, is stuck. */
const stuckMs = 180_000;
const followTimeoutMs = 180_000;

export function createTalks(context: () => LoadContext, seed: number): Talks {
  const open = new Set<Talk>();
  const leaving = new Set<Promise<void>>();
  let count = 0;

  function leave(talk: Talk): void {
    if (!open.delete(talk)) return;
    const work = conclude(context(), talk)
      .catch((error: unknown) => context().journal.breach('unexpected', `talk ${talk.no}: ${String(error)}`))
      .finally(() => {
        talk.follower.close();
        leaving.delete(work);
      });
    leaving.add(work);
  }

  return {
    open(path) {
      count += 1;
      const talk: Talk = {
        no: count,
        path,
        posts: [],
        stops: new Set(),
        ends: new Map(),
        shown: [],
        busy: 0,
        isHeld: false,
        follower: follow(context(), path, createRandom(seed, `follower ${count}`)),
      };
      open.add(talk);
      return talk;
    },
    leave,
    async finish() {
      for (const talk of open) leave(talk);
      await Promise.all(leaving);
    },
  };
}

export function show({ client }: LoadContext, talk: Talk): Promise<StatementOutcome> {
  return client.settle({ kind: 'conversation', method: 'GET', path: talk.path });
}

export function resume({ client }: LoadContext, talk: Talk): Promise<StatementOutcome> {
  return client.settle({ kind: 'resume', method: 'POST', path: `${talk.path}/queue/resume` });
}

async function conclude(context: LoadContext, talk: Talk): Promise<void> {
  const { journal, signal } = context;
  while (talk.busy > 0 && !signal.aborted) await delay(100);
  const shown = await atRest(context, talk);
  if (shown === undefined) return;
  if (!(await talk.follower.reaches(shown.lastEventId, followTimeoutMs))) {
    if (signal.aborted) return;
    journal.breach('events', `${talk.path}: ${talk.follower.events.length} of ${shown.lastEventId}`);
  }
  journal.count('conversations', 'compared');
  compareTalk(journal, talk, shown);
}

/** The conversation when there is nothing left to do in it; undefined if it never comes to that. */
async function atRest(context: LoadContext, talk: Talk): Promise<Shown | undefined> {
  let newest = -1;
  let sinceMs = Date.now();
  while (!context.signal.aborted) {
    const settled = await show(context, talk);
    if (settled.outcome === 'acknowledged') {
      const shown = settled.answer.body.data as Data;
      if (shown.activeTurn === null && shown.queuedTurns.length === 0 && !shown.queueHeld) return shown;
      if (shown.queueHeld) await resume(context, talk);
      if (shown.lastEventId !== newest) sinceMs = Date.now();
      newest = shown.lastEventId;
      const { restSinceMs } = context;
      if (restSinceMs !== undefined && Date.now() > Math.max(sinceMs, restSinceMs) + stuckMs) {
        const { activeTurn, queuedTurns } = shown;
        context.journal.breach('turnStuck', `${talk.path}: ${JSON.stringify({ activeTurn, queuedTurns })}`);
        return undefined;
      }
    }
    await delay(300, undefined, { signal: context.signal }).catch(() => {});
  }
  return undefined;
}
