import { expect, test } from 'vitest';
import {
  type DeviceStatus,
  deviceTransitions,
  outcomeOf,
} from '../../../../domain/workspace/logins/device-states.ts';
import { newUserCode, readUserCode, shownUserCode } from '../../../../domain/workspace/logins/user-code.ts';

const nowMs = Date.UTC(2026, 10, 24);
const at = (offsetSeconds: number) => new Date(nowMs + offsetSeconds * 1_000);
const statuses = Object.keys(deviceTransitions) as DeviceStatus[];

/** What a poll is answered in each state: the first one, one too soon, one after the interval, one too late. */
const outcomes: Record<DeviceStatus, [string, string, string, string]> = {
  pending: ['authorization_pending', 'slow_down', 'authorization_pending', 'expired_token'],
  approved: ['redeem', 'redeem', 'redeem', 'expired_token'],
  denied: ['access_denied', 'access_denied', 'access_denied', 'expired_token'],
  redeemed: ['invalid_grant', 'invalid_grant', 'invalid_grant', 'invalid_grant'],
};

test.each(statuses)('each poll of a login that is %s has its answer', (status) => {
  const poll = (polledAt: Date | null, expiresAt = at(1)) =>
    outcomeOf({ status, expiresAt, polledAt, intervalSeconds: 5 }, nowMs);
  expect([poll(null), poll(at(-4.999)), poll(at(-5)), poll(null, at(0))]).toEqual(outcomes[status]);
});

test('a login is redeemed only after its approval, and nothing follows its end', () => {
  const before = (to: DeviceStatus) =>
    statuses.filter((from) => (deviceTransitions[from] as readonly string[]).includes(to));
  expect(before('redeemed')).toEqual(['approved']);
  expect(before('approved')).toEqual(['pending']);
  expect(before('denied')).toEqual(['pending']);
});

test('a user code is read however it is typed', () => {
  const code = newUserCode();
  const shown = shownUserCode(code);
  for (const typed of [code, shown, shown.toLowerCase(), ` ${code.slice(0, 3)} ${code.slice(3)}\n`])
    expect(readUserCode(typed), typed).toBe(code);
  for (const typed of ['', code.slice(1), `${code}B`, 'ABCDEFGH', 'BCDF_GHJK', 'ВСDFGHJK'])
    expect(readUserCode(typed), typed).toBeUndefined();
});
