import type { CheckOutcome } from './check.ts';

/** What the checks of an app have found, as in its row. */
export interface Health {
  is_live: boolean;
  failed_checks: number;
  last_status: number | null;
  last_elapsed_ms: number;
  last_checked_at: Date;
  next_check_at: Date;
}

/** After so many failed checks in a row an app is not live. */
const failuresUntilDown = 3;
const intervalMs = 30_000;
const longestIntervalMs = 600_000;

/** An app that has never been checked. */
export const unchecked = { is_live: false, failed_checks: 0 };

/** The health of an app after one more check. */
export function healthAfter(
  before: Pick<Health, 'is_live' | 'failed_checks'>,
  { status, beganAtMs, elapsedMs }: CheckOutcome,
): Health {
  const isHealthy = status !== null && status >= 200 && status < 300;
  const failures = isHealthy ? 0 : before.failed_checks + 1;
  return {
    is_live: isHealthy || (before.is_live && failures < failuresUntilDown),
    failed_checks: failures,
    last_status: status,
    last_elapsed_ms: elapsedMs,
    last_checked_at: new Date(beganAtMs + elapsedMs),
    next_check_at: new Date(beganAtMs + waitMsAfter(failures)),
  };
}

/** Half a minute; doubled with every failure of an app that is down, up to ten minutes. */
function waitMsAfter(failures: number): number {
  const doublings = Math.max(0, failures - failuresUntilDown + 1);
  return Math.min(longestIntervalMs, intervalMs * 2 ** Math.min(doublings, 10));
}
