/** The states of a device login, and those that may follow each. */
export const deviceTransitions = {
  pending: ['approved', 'denied'],
  approved: ['redeemed'],
  denied: [],
  redeemed: [],
} as const;

export type DeviceStatus = keyof typeof deviceTransitions;

/** A device login as one poll finds it. */
export interface PolledLogin {
  status: DeviceStatus;
  expiresAt: Date;
  polledAt: Date | null;
  intervalSeconds: number;
}

/** The answers to a poll: errors of RFC 8628 §3.5, or the tokens. */
export type PollOutcome =
  | 'authorization_pending'
  | 'slow_down'
  | 'access_denied'
  | 'expired_token'
  | 'invalid_grant'
  | 'redeem';

/** What a poll at `nowMs` is answered. A code is redeemed once, and expired codes are never redeemed. */
export function outcomeOf(
  { status, expiresAt, polledAt, intervalSeconds }: PolledLogin,
  nowMs: number,
): PollOutcome {
  if (status === 'redeemed') return 'invalid_grant';
  if (expiresAt.getTime() <= nowMs) return 'expired_token';
  if (status === 'denied') return 'access_denied';
  if (status === 'approved') return 'redeem';
  const isTooSoon = polledAt !== null && nowMs - polledAt.getTime() < intervalSeconds * 1_000;
  return isTooSoon ? 'slow_down' : 'authorization_pending';
}

/** RFC 8628 §3.5: from a poll that came too soon on, the client waits five seconds longer between polls. */
export const slowDownSeconds = 5;
