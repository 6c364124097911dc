import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createCipher, keyIdOf, sealedHeaderBytes } from '../../data/encryption.ts';

const newKey = () => randomBytes(32).toString('base64');
const [one, two] = [newKey(), newKey()];

test('the first key seals, every listed one opens, and a value names its key', () => {
  const before = createCipher(`k1:${one}`).seal('a secret');
  const both = createCipher(` k2:${two}, k1:${one}`);
  const after = both.seal('a secret');
  expect(both.keyIds).toEqual(['k2', 'k1']);
  expect([before, after].map((value) => both.open(value).toString())).toEqual(['a secret', 'a secret']);
  expect([before, after].map(keyIdOf)).toEqual(['k1', 'k2']);
  expect(() => createCipher(`k1:${one}`).open(after)).toThrow('No encryption key with the id k2');
  const longest = 'k'.repeat(64);
  const value = createCipher(`${longest}:${one}`).seal('a secret');
  expect(keyIdOf(value.subarray(0, sealedHeaderBytes))).toBe(longest);
});

test('a list in which an id means two keys is refused; the same key twice is not', () => {
  expect(() => createCipher(`k1:${one},k1:${two}`)).toThrow('Two different encryption keys have the id k1.');
  expect(createCipher(`k1:${one},k2:${two},k1:${one}`).keyIds).toEqual(['k1', 'k2']);
  expect(() => createCipher('k1:c2hvcnQ=')).toThrow('id:base64');
});
