import { z } from 'zod';
import type { Cipher } from '../../data/encryption.ts';

export const progressSeconds = 600;

/**
 * Browsers keep no cookie of more than 4 KB. After a sign-in that leads to a longer address, the person is
 * signed in and begins again there.
 */
const maxNext = 2_400;

const progress = z.strictObject({
  // Other values are sealed with the same keys.
  is: z.literal('sign-in'),
  untilMs: z.number(),
  checks: z.strictObject({ state: z.string(), nonce: z.string(), codeVerifier: z.string() }),
  next: z.string(),
  link: z.strictObject({ kind: z.enum(['owner', 'invitation']), token: z.string() }).optional(),
  before: z.strictObject({ organizationId: z.string(), id: z.string(), userId: z.string() }).optional(),
});

/** A sign-in at a provider that has begun. */
export type Progress = Omit<z.output<typeof progress>, 'is' | 'untilMs'>;

/** For the browser's cookie, which neither it nor anybody else can read or make. */
export function sealProgress(cipher: Cipher, { next, ...rest }: Progress): string {
  const kept: z.output<typeof progress> = {
    is: 'sign-in',
    untilMs: Date.now() + progressSeconds * 1_000,
    ...rest,
    next: next.length > maxNext ? '/sign-in' : next,
  };
  return cipher.seal(JSON.stringify(kept)).toString('base64url');
}

/** Undefined if it has expired, or was not sealed here. */
export function openProgress(cipher: Cipher, sealed: string): Progress | undefined {
  try {
    const text = cipher.open(Buffer.from(sealed, 'base64url')).toString();
    const { untilMs, ...kept } = progress.parse(JSON.parse(text));
    return untilMs > Date.now() ? kept : undefined;
  } catch {
    return undefined;
  }
}
