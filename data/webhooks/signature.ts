import { createHmac, timingSafeEqual } from 'node:crypto';

export const timestampHeader = 'x-webhook-timestamp';
export const signatureHeader = 'x-webhook-signature';
/** Header with the delivery id, which is the same for all attempts. */
export const deliveryHeader = 'x-webhook-delivery';

/**
 * The value of `x-webhook-signature` for a body and timestamp: the HMAC-SHA256 of `timestamp.body` under the
 * secret's UTF-8 bytes.
 */
export function sign(secret: string, timestamp: string, body: Uint8Array): string {
  return `v1=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`;
}

export interface SignedBody {
  /** A signature by any of them is valid. */
  secrets: readonly string[];
  /** Unix seconds, from `x-webhook-timestamp`. */
  timestamp: string;
  signature: string;
  body: Uint8Array;
  nowMs: number;
  toleranceMs: number;
}

/** Whether a body was signed with one of the secrets, at a time within the tolerance of now. */
export function verify({ secrets, timestamp, signature, body, nowMs, toleranceMs }: SignedBody): boolean {
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(Number(timestamp) * 1_000 - nowMs) > toleranceMs) return false;
  const given = Buffer.from(signature);
  return secrets.some((secret) => {
    const wanted = Buffer.from(sign(secret, timestamp, body));
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
}
