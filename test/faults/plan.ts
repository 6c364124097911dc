import type { Moment } from './moments.ts';
import { createRandom, type Random } from './random.ts';

/** Parts of the stack, their child processes, and a source of their datasets. */
export const targets = ['api', 'worker', 'query', 'engine', 'temporal', 'postgres', 's3', 'source'] as const;
export type Target = (typeof targets)[number];

/** Restricted loads: copies, hit in the middle, or writers next to maintenance, without faults. */
export const focuses = ['copies', 'maintenance'] as const;
export type Focus = (typeof focuses)[number];

export interface Fault {
  target: Target;
  action: 'kill' | 'pause';
  /** Delay before it, counted from the previous fault. */
  gapMs: number;
  /** Delay after a moment, if the fault is to hit what begins then. */
  after: { moment: Moment; ms: number; patienceMs: number } | undefined;
  /** How long a paused part is stopped. */
  pauseMs: number;
  /** Selects one of several processes of the target. */
  choice: number;
}

/** A pause after which Temporal has timed out the worker's activities, while they continue. */
const beyondHeartbeatsMs = 17_000;

/**
 * The faults of every round. They are drawn from one deck after the other, each with every part killed once
 * and paused once: few rounds already cover much, and no part dies more often than the stack allows.
 */
export function planFaults(
  seed: number,
  rounds: number,
  options: { perRound: number; longPauses: boolean; focus?: Focus | undefined },
): Fault[][] {
  const random = createRandom(seed, 'faults');
  const deck = targets.flatMap((target) =>
    (['kill', 'pause'] as const).map((action) => ({ target, action })),
  );
  let cards: typeof deck = [];
  const perRound = options.focus === 'maintenance' ? 0 : options.perRound;
  return Array.from({ length: rounds }, () =>
    Array.from({ length: perRound }, () => {
      if (cards.length === 0) cards = random.shuffle(deck);
      const { target, action } = cards.pop()!;
      const isLong = options.longPauses && target === 'worker' && random.chance(0.3);
      return {
        target,
        action,
        // Sometimes two at once.
        gapMs: random.chance(0.2) ? 0 : random.int(300, 3_000),
        after: options.focus === 'copies' ? inMidCopy(random) : afterOf(random, target),
        pauseMs: isLong ? beyondHeartbeatsMs : random.int(800, 4_000),
        choice: random.int(0, 1_000),
      };
    }),
  );
}

/** If nothing begins, the fault is injected anyway. */
const patienceMs = 3_000;

/** How long the work that begins at each moment may last. */
const lastsMs: Record<Moment, number> = {
  completed: 300,
  said: 60,
  answering: 800,
  calling: 400,
  firing: 2_000,
  mailing: 150,
  read: 2_500,
  copying: 800,
};

/**
 * For the worker and its database, the most interesting work to interrupt is a turn, or a fire and its mail.
 */
const moments: readonly Moment[] = [
  'completed',
  'completed',
  'said',
  'answering',
  'calling',
  'firing',
  'read',
  'copying',
];
const momentsOfProcesses: readonly Moment[] = [
  'completed',
  'said',
  'answering',
  'answering',
  'answering',
  'calling',
  'firing',
  'firing',
  'mailing',
  'mailing',
  'read',
  'read',
  'copying',
  'copying',
];

function afterOf(random: Random, target: Target): Fault['after'] {
  if (target === 'source') return random.chance(0.1) ? undefined : inMidCopy(random);
  const isOfProcesses = target === 'worker' || target === 'postgres';
  const moment = random.pick(isOfProcesses ? momentsOfProcesses : moments);
  const ms = random.int(0, lastsMs[moment]);
  return random.chance(isOfProcesses ? 0.1 : 0.3) ? undefined : { moment, ms, patienceMs };
}

/** A database is not copied all the time. */
function inMidCopy(random: Random): NonNullable<Fault['after']> {
  return { moment: 'copying', ms: random.int(0, lastsMs.copying), patienceMs: 5 * patienceMs };
}
