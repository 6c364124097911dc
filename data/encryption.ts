import { createCipheriv, createDecipheriv, createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * Encrypts small values at rest. The first key seals and every listed key opens, which allows key rotation.
 */
export interface Cipher {
  /** Ids of the configured keys; the first one seals. */
  readonly keyIds: readonly [string, ...string[]];
  seal(plain: Uint8Array | string): Buffer;
  open(sealed: Uint8Array): Buffer;
}

/** Maximum length of a key's id, and so of the header of a sealed value. */
const longestId = 64;
export const sealedHeaderBytes = 1 + longestId;

const nonceBytes = 12;
const tagBytes = 16;

/**
 * `keys` is a comma-separated list of `id:base64` with 32-byte keys. Sealed form: id length, id, nonce, tag,
 * AES-256-GCM ciphertext.
 */
export function createCipher(keys: string): Cipher {
  const parsed = keys.split(',').map((entry) => {
    const [id, encoded] = entry.trim().split(':');
    const key = Buffer.from(encoded ?? '', 'base64');
    if (id === undefined || id === '' || id.length > longestId || key.length !== 32) {
      throw new Error(
        'Each encryption key must have the form `id:base64`, where the base64 stands for 32 bytes.',
      );
    }
    return { id, key };
  });
  const first = parsed[0]!;
  const byId = new Map(parsed.map((entry) => [entry.id, entry.key]));
  for (const { id, key } of parsed)
    if (!byId.get(id)!.equals(key)) throw new Error(`Two different encryption keys have the id ${id}.`);
  return {
    keyIds: [first.id, ...[...byId.keys()].slice(1)],
    seal(plain) {
      const nonce = randomBytes(nonceBytes);
      const header = Buffer.concat([Buffer.from([first.id.length]), Buffer.from(first.id, 'latin1')]);
      const cipher = createCipheriv('aes-256-gcm', first.key, nonce).setAAD(header);
      const text = Buffer.concat([cipher.update(plain), cipher.final()]);
      return Buffer.concat([header, nonce, cipher.getAuthTag(), text]);
    },
    open(sealed) {
      const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
      const headerBytes = 1 + (bytes[0] ?? 0);
      const id = keyIdOf(bytes);
      const key = byId.get(id);
      if (key === undefined) throw new Error(`No encryption key with the id ${id} is configured.`);
      const nonce = bytes.subarray(headerBytes, headerBytes + nonceBytes);
      const tag = bytes.subarray(headerBytes + nonceBytes, headerBytes + nonceBytes + tagBytes);
      const decipher = createDecipheriv('aes-256-gcm', key, nonce);
      decipher.setAAD(bytes.subarray(0, headerBytes)).setAuthTag(tag);
      return Buffer.concat([
        decipher.update(bytes.subarray(headerBytes + nonceBytes + tagBytes)),
        decipher.final(),
      ]);
    },
  };
}

/** The id of the key that a value is sealed under; its first `sealedHeaderBytes` are enough. */
export function keyIdOf(sealed: Uint8Array): string {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  return bytes.toString('latin1', 1, 1 + (bytes[0] ?? 0));
}

/**
 * Access token, client secret, refresh token, device code, authorization code, session of the pages, one-time
 * account link, link of a share.
 */
export type SecretPrefix = 'wat' | 'wcs' | 'wrt' | 'wdc' | 'wac' | 'wps' | 'wal' | 'wsh';

/** A new 256-bit bearer secret, with a prefix by which secret scanners recognise it. */
export function newSecret(prefix: SecretPrefix): string {
  return `${prefix}_${randomBytes(32).toString('base64url')}`;
}

/** A secret of 256 random bits needs no slow hash: it cannot be guessed from its SHA-256. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

export function secretMatches(secret: string, hash: Uint8Array): boolean {
  return timingSafeEqual(hashSecret(secret), hash);
}
