/** The longest that metrics wait for one answer; what comes later is shown the next time. */
const patienceMs = 1_000;

export interface Kept<T> {
  /** Undefined as long as there is no answer, and once the last one is much too old. */
  look(): Promise<T | undefined>;
  /** Asks no more; resolves once nothing is being asked. */
  end(): Promise<void>;
}

/**
 * Asks at most once in `everyMs`, however often somebody looks, and gives the last answer: looking at metrics
 * must cost the stores little, and never hang with them.
 */
export function kept<T>(everyMs: number, ask: () => Promise<T>): Kept<T> {
  let askedMs = Number.NEGATIVE_INFINITY;
  let answer: { value: T; atMs: number } | undefined;
  let asking: Promise<void> | undefined;
  async function look(): Promise<T | undefined> {
    const nowMs = performance.now();
    if (asking === undefined && nowMs - askedMs >= everyMs) {
      askedMs = nowMs;
      asking = ask()
        .then(
          (value) => {
            answer = { value, atMs: performance.now() };
          },
          () => undefined,
        )
        .finally(() => {
          asking = undefined;
        });
    }
    if (asking !== undefined) {
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, patienceMs);
      await Promise.race([asking, late.promise]);
      clearTimeout(timer);
    }
    return answer !== undefined && nowMs - answer.atMs < everyMs * 3 ? answer.value : undefined;
  }

  return {
    look,
    async end() {
      askedMs = Number.POSITIVE_INFINITY;
      await asking;
    },
  };
}
