/** Counts how often a part has died lately. */
export type RestartBudget = {
  /** Notes a death; false when the part has died too often within the window to be restarted at once. */
  spend(nowMs: number): boolean;
  /** Deaths within the window so far. */
  spent(nowMs: number): number;
};

const windowMs = 60_000;
const maxDeaths = 5;

/** Five deaths within a minute are too many: what dies at once each time is not mended by a start at once. */
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

/** Wait before the next start: none after the first death, and never so long that 30 seconds are missed. */
export function restartDelayMs(deaths: number): number {
  return deaths <= 1 ? 0 : Math.min(500 * 2 ** (deaths - 2), 4_000);
}
