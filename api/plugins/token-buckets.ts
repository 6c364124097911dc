/** The state of a bucket after taking a token. */
export interface Taken {
  admitted: boolean;
  /** Whole tokens that are left. */
  remaining: number;
  /** Seconds until a token is available; 0 if one is. */
  waitSeconds: number;
}

export interface TokenBuckets {
  take(name: string): Taken;
  /** Whether a token could be taken. */
  peek(name: string): Taken;
  giveBack(name: string): void;
  /**
   * What was taken by name since the last call, as milliseconds of refilling; at most `limit` names. What
   * refilled meanwhile is not reported.
   */
  takenSince(limit: number): { name: string; ms: number }[];
  /** The bucket is full only in so many milliseconds, besides what was taken since the last call. */
  learn(name: string, fullInMs: number): void;
  /** What was taken could not be reported, and is part of the next report. */
  restore(name: string, ms: number): void;
}

/** Maximum number of names per generation; those beyond it share one bucket. */
const defaultMaxNames = 50_000;
const minuteMs = 60_000;
/** Not a name of any client: shared by all that came while the memory was full. */
const overflow = '';

/**
 * Token buckets by name, each of `perMinute` tokens that refill within a minute. A bucket is one number, the
 * time at which it is full again, and a full one need not be stored. Names are therefore kept in two
 * generations of a minute each: one that drops out of the older generation was not used for a minute, and is
 * full. Nobody can evict another's bucket by using many names.
 */
export function tokenBuckets(
  perMinute: number,
  options: { maxNames?: number; now?: () => number } = {},
): TokenBuckets {
  const { maxNames = defaultMaxNames, now = Date.now } = options;
  const tokenMs = minuteMs / perMinute;
  let young = new Map<string, number>();
  let old = new Map<string, number>();
  let turnedAtMs = now();
  /** Kept only if somebody asks for it. */
  let taken: Map<string, number> | undefined;

  /** At most a whole bucket of each name. Beyond the memory limit names are counted by this process alone. */
  function note(name: string, ms: number): void {
    if (taken === undefined || (!taken.has(name) && taken.size >= maxNames)) return;
    taken.set(name, Math.max(-minuteMs, Math.min(minuteMs, (taken.get(name) ?? 0) + ms)));
  }

  function turn(nowMs: number): void {
    if (nowMs - turnedAtMs < minuteMs) return;
    old = nowMs - turnedAtMs < 2 * minuteMs ? young : new Map();
    young = new Map();
    turnedAtMs = nowMs;
  }

  /** The key under which it is stored, and when its bucket is full: never before now. */
  function find(name: string, nowMs: number): { key: string; fullAtMs: number } {
    turn(nowMs);
    const known = young.get(name) ?? old.get(name);
    const key = known !== undefined || young.size < maxNames ? name : overflow;
    return { key, fullAtMs: Math.max(nowMs, known ?? young.get(key) ?? old.get(key) ?? 0) };
  }

  function answer(admitted: boolean, fullAtMs: number, nowMs: number): Taken {
    const tokens = perMinute - (fullAtMs - nowMs) / tokenMs;
    // Tolerates rounding: sums of milliseconds since 1970 must not lose a token.
    const remaining = Math.max(0, Math.floor(tokens + 1e-6));
    const waitSeconds = remaining >= 1 ? 0 : Math.ceil(((1 - tokens) * tokenMs) / 1_000);
    return { admitted, remaining, waitSeconds };
  }

  function peek(name: string): Taken {
    const nowMs = now();
    const { fullAtMs } = find(name, nowMs);
    const { remaining } = answer(true, fullAtMs, nowMs);
    return answer(remaining >= 1, fullAtMs, nowMs);
  }

  return {
    peek,
    take(name) {
      const nowMs = now();
      const { key, fullAtMs } = find(name, nowMs);
      if (answer(true, fullAtMs, nowMs).remaining < 1) {
        young.set(key, fullAtMs);
        return answer(false, fullAtMs, nowMs);
      }
      young.set(key, fullAtMs + tokenMs);
      note(key, tokenMs);
      return answer(true, fullAtMs + tokenMs, nowMs);
    },
    giveBack(name) {
      const nowMs = now();
      const { key, fullAtMs } = find(name, nowMs);
      if (young.has(key) || old.has(key)) {
        young.set(key, fullAtMs - tokenMs);
        note(key, -tokenMs);
      }
    },
    takenSince(limit) {
      taken ??= new Map();
      const nowMs = now();
      turn(nowMs);
      const reported: { name: string; ms: number }[] = [];
      for (const [name, sum] of taken) {
        if (reported.length === limit) break;
        taken.delete(name);
        const fullInMs = Math.max(0, (young.get(name) ?? old.get(name) ?? 0) - nowMs);
        const ms = Math.min(sum, fullInMs);
        if (ms !== 0) reported.push({ name, ms });
      }
      return reported;
    },
    learn(name, fullInMs) {
      const nowMs = now();
      const { key } = find(name, nowMs);
      const unreportedMs = taken?.get(name) ?? 0;
      young.set(key, nowMs + Math.min(minuteMs, Math.max(0, fullInMs) + unreportedMs));
    },
    restore(name, ms) {
      note(name, ms);
    },
  };
}
