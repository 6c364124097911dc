import type { Cipher } from '../../../../data/encryption.ts';
import type { NodeSecrets } from './secrets.ts';

export const sealNodeSecrets = (cipher: Cipher, secrets: NodeSecrets): Buffer =>
  cipher.seal(JSON.stringify(secrets));

/** The secrets of a draft or a version. */
export const openNodeSecrets = (
  cipher: Cipher,
  { sealed_secrets: sealed }: { sealed_secrets: Buffer },
): NodeSecrets => JSON.parse(cipher.open(sealed).toString('utf8')) as NodeSecrets;
