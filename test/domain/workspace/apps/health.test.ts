import { expect, test } from 'vitest';
import { type Health, healthAfter, unchecked } from '../../../../domain/workspace/apps/health.ts';

const beganAtMs = Date.UTC(2026, 0, 1);
const check = (status: number | null) => ({ status, beganAtMs, elapsedMs: 40 });

/** The health of an app after each of these answers. */
function lived(statuses: readonly (number | null)[]): Health[] {
  const seen: Health[] = [];
  for (const status of statuses) seen.push(healthAfter(seen.at(-1) ?? unchecked, check(status)));
  return seen;
}

test('an app is live from its first 2xx until three checks in a row failed, and again from the next 2xx', () => {
  const seen = lived([500, null, 204, 302, 404, 200, null, 503, 199, 301, 299]);
  expect(seen.map((health) => health.is_live)).toEqual([
    ...[false, false, true, true, true, true],
    ...[true, true, false, false, true],
  ]);
  expect(seen.map((health) => health.failed_checks)).toEqual([1, 2, 0, 1, 2, 0, 1, 2, 3, 4, 0]);
});

test('it is checked every half minute, and once it is down less and less, down to every ten minutes', () => {
  const seconds = ({ next_check_at: at }: Health) => (at.getTime() - beganAtMs) / 1_000;
  const down = lived(Array.from({ length: 9 }, () => null));
  expect(down.map(seconds)).toEqual([30, 30, 60, 120, 240, 480, 600, 600, 600]);
  expect(seconds(healthAfter(down.at(-1)!, check(200)))).toBe(30);
  expect(seconds(healthAfter({ is_live: false, failed_checks: 100_000 }, check(null)))).toBe(600);
});

test('of an answer its status and its time are kept', () => {
  expect(healthAfter(unchecked, check(200))).toEqual({
    is_live: true,
    failed_checks: 0,
    last_status: 200,
    last_elapsed_ms: 40,
    last_checked_at: new Date(beganAtMs + 40),
    next_check_at: new Date(beganAtMs + 30_000),
  });
});
