import type { Cipher } from '../../../../data/encryption.ts';
import type { NodeSecrets } from './secrets.ts';

export const sealNodeSecrets = (cipher: Cipher, secrets: NodeSecrets): Buffer =>
  cipher.seal(JSON.stringify(secrets));

/** Of a draft, or of a version. */
export const openNodeSecrets = (
  cipher: Cipher,
  { sealed_secrets: sealed }: { sealed_secrets: Buffer },
): NodeSecrets => JSON.parse(cipher.open(sealed).toString('utf8')) as NodeSecrets;
