/** What a bucket says to one more token taken from it. */
export interface Taken {
  admitted: boolean;
  /** Whole tokens that are left. */
  remaining: number;
  /** Until one more can be taken; 0 where one is there. */
  waitSeconds: number;
}

export interface TokenBuckets {
  take(name: string): Taken;
  /** Whether one could be taken. */
  peek(name: string): Taken;
  giveBack(name: string): void;
}

/** Names remembered at once in each generation; those beyond it share one bucket. */
const defaultMaxNames = 50_000;
const minuteMs = 60_000;
/** No name of a client's own: it is shared by all that came when the memory was full. */
const overflow = '';

/**
 * Token buckets by name, each of `perMinute` tokens that fill up within a minute. A bucket is one number, the
 * time at which it is full again, and a full one need not be remembered. So names are kept in two generations
 * of a minute each: what falls out of the older was not used for a minute, and is full. Nobody can have
 * another's bucket forgotten by coming under many names.
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

  function turn(nowMs: number): void {
    if (nowMs - turnedAtMs < minuteMs) return;
    old = nowMs - turnedAtMs < 2 * minuteMs ? young : new Map();
    young = new Map();
    turnedAtMs = nowMs;
  }

  /** The name under which it is kept, and when its bucket is full: never before now. */
  function find(name: string, nowMs: number): { key: string; fullAtMs: number } {
    turn(nowMs);
    const known = young.get(name) ?? old.get(name);
    const key = known !== undefined || young.size < maxNames ? name : overflow;
    return { key, fullAtMs: Math.max(nowMs, known ?? young.get(key) ?? old.get(key) ?? 0) };
  }

  function answer(admitted: boolean, fullAtMs: number, nowMs: number): Taken {
    const tokens = perMinute - (fullAtMs - nowMs) / tokenMs;
    // The times are milliseconds since 1970: what their sums lose must not cost a token.
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
      return answer(true, fullAtMs + tokenMs, nowMs);
    },
    giveBack(name) {
      const nowMs = now();
      const { key, fullAtMs } = find(name, nowMs);
      if (young.has(key) || old.has(key)) young.set(key, fullAtMs - tokenMs);
    },
  };
}
