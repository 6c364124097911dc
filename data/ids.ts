import { createHash, randomBytes } from 'node:crypto';

/**
 * The kind of resource an id names. The prefix is part of the id, so that log lines and workflow ids are
 * self-explanatory.
 */
export type IdPrefix =
  | 'org'
  | 'acc'
  | 'usr'
  | 'cli'
  | 'tok'
  | 'lgn'
  | 'ses'
  | 'lnk'
  | 'inv'
  | 'dev'
  | 'cod'
  | 'pub'
  | 'aud'
  | 'prj'
  | 'fil'
  | 'upl'
  | 'imp'
  | 'tbl'
  | 'viw'
  | 'vtd'
  | 'vto'
  | 'exp'
  | 'lak'
  | 'lcr'
  | 'car'
  | 'cae'
  | 'app'
  | 'con'
  | 'dst'
  | 'snp'
  | 'cnv'
  | 'msg'
  | 'que'
  | 'res'
  | 'cht'
  | 'rpt'
  | 'run'
  | 'pbk'
  | 'apv'
  | 'wfl'
  | 'wtr'
  | 'wfv'
  | 'wfr'
  | 'wap'
  | 'sch'
  | 'srn'
  | 'bkf'
  | 'dlv'
  | 'dsn'
  | 'bat'
  | 'qry'
  | 'opr'
  | 'req'
  | keyof IdPrefixes;

/** The prefixes that rooms declare beside their tables, by `declare module`: `{ exp: 'exports' }`. */
// biome-ignore lint/suspicious/noEmptyInterface: others add to it.
export interface IdPrefixes {}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const suffixPattern = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/** A new TypeID: prefix, underscore, UUIDv7 in Crockford base32. Sorts by creation time. */
export function newId(prefix: IdPrefix, atMs: number = Date.now()): string {
  return encode(prefix, atMs, randomBytes(10));
}

/**
 * The same id for the same seed and time, so that an idempotent request repeated after a crash finds what it
 * created.
 */
export function derivedId(prefix: IdPrefix, atMs: number, seed: string): string {
  return encode(prefix, atMs, createHash('sha256').update(seed).digest().subarray(0, 10));
}

/** Whether the text can be an id of this kind; anything else is answered with not found without a lookup. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(`${prefix}_`) && suffixPattern.test(text.slice(prefix.length + 1));
}

function encode(prefix: IdPrefix, atMs: number, random: Uint8Array): string {
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(atMs) << 16n);
  bytes.set(random, 6);
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  let suffix = '';
  for (let position = 0; position < 26; position += 1) {
    suffix = alphabet[Number(value & 31n)] + suffix;
    value >>= 5n;
  }
  return `${prefix}_${suffix}`;
}
