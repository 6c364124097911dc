import { activeTurn, type Operation, type Rules } from './model.ts';

/** The same numbers from 0 to below 1 for the same seed. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function permutations<T>(items: readonly T[]): T[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((item, index) =>
    permutations(items.filter((_other, place) => place !== index)).map((rest) => [item, ...rest]),
  );
}

/** Several concurrently: each has its own conversation, and the database has other work meanwhile. */
export async function inLanes<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const lane = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: 6 }, lane));
}

const weights: Readonly<Record<string, number>> = {
  enqueue: 10,
  interrupt: 3,
  reject: 2,
  advance: 8,
  finish: 7,
  fail: 2,
  cancel: 5,
  edit: 4,
  remove: 3,
  resume: 4,
};

/** Any operation, usually on a target that it is meant for; also on ended ones, and with a stale revision. */
export function generate(rules: Rules, pick: () => number, count: number): Operation {
  const name = weighted(pick);
  const any = <T>(from: readonly T[]): T | undefined => from[Math.floor(pick() * from.length)];
  const text = `m${count}`;
  switch (name) {
    case 'enqueue':
    case 'interrupt':
    case 'reject':
      // Occasionally with a model that is no longer offered.
      return { op: 'post', text, onBusy: name, ...(pick() < 0.1 ? { model: 'gone' } : {}) };
    case 'finish':
    case 'fail':
    case 'cancel': {
      const active = activeTurn(rules);
      const turn = active !== undefined && pick() < 0.8 ? active : any(rules.turns);
      return { op: name, text: turn?.text ?? 'nothing' };
    }
    case 'edit':
    case 'remove': {
      const waiting = rules.entries.filter(({ state }) => state === 'queued');
      const entry = (pick() < 0.7 ? any(waiting) : undefined) ?? any(rules.entries);
      const revision = pick() < 0.5 ? undefined : (entry?.revision ?? 1) + (pick() < 0.7 ? 0 : 1);
      return {
        op: name,
        text: entry?.text ?? 'nothing',
        ...(revision === undefined ? {} : { expectedRevision: revision }),
      };
    }
    default:
      return { op: name as 'advance' | 'resume' };
  }
}

function weighted(pick: () => number): string {
  let left = pick() * Object.values(weights).reduce((sum, weight) => sum + weight, 0);
  for (const [name, weight] of Object.entries(weights)) {
    left -= weight;
    if (left < 0) return name;
  }
  return 'advance';
}
