/** Counts recent deaths of a part. */
export type RestartBudget = {
  /** Records a death; false if there were too many within the window for an immediate restart. */
  spend(nowMs: number): boolean;
  /** Deaths within the window so far. */
  spent(nowMs: number): number;
};

const windowMs = 60_000;
const maxDeaths = 5;

/** Five deaths within a minute are the limit: restarting at once does not help a part that dies at once. */
export function restartBudget(): RestartBudget {
  let deaths: number[] = [];
  const recent = (nowMs: number) => deaths.filter((atMs) => nowMs - atMs < windowMs);
  return {
    spend(nowMs) {
      deaths = [...recent(nowMs), nowMs];
      return deaths.length < maxDeaths;
    },
    spent: (nowMs) => recent(nowMs).length,
  };
}

/**
 * Delay before the next start: none after the first death, and short enough that a restart takes less than 30
 * seconds.
 */
export function restartDelayMs(deaths: number): number {
  return deaths <= 1 ? 0 : Math.min(500 * 2 ** (deaths - 2), 4_000);
}
