import { expect, test } from 'vitest';
import { orderOf, reordered } from '../../../../../domain/intake/datasets/copy/s3-order.ts';

const separators = [',', ';', '\t', '|'];

test.each([
  ['a,b', 'a,b', 'same'],
  ['a,b', '"a","b"', 'same'],
  ['"say ""hi""",b', 'b,"say ""hi"""', { separator: ',', places: [1, 0] }],
  ['preis;menge;x,y', 'x,y;menge;preis', { separator: ';', places: [2, 1, 0] }],
  ['a,b', 'a,c', undefined],
  ['a,b', 'a,b,c', undefined],
  ['a,b', 'b;a', undefined],
  ['a,a', 'a,a', 'same'],
  ['a,a,b', 'b,a,a', undefined],
])('%s and %s', (wanted, header, expected) => {
  expect(orderOf(wanted, header, separators)).toEqual(expected);
});

async function textOf(text: string, chunkLength: number): Promise<string> {
  async function* chunks() {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += chunkLength) yield bytes.subarray(at, at + chunkLength);
  }
  const found: Buffer[] = [];
  for await (const part of reordered(chunks(), { separator: ',', places: [2, 0, 1] })) found.push(part);
  return Buffer.concat(found).toString();
}

const rows = [
  ['1,2,3\n', '3,1,2\n'],
  ['"x, y","line\nbreak","a ""b"""\r\n', '"a ""b""","x, y","line\nbreak"\r\n'],
  ['5" pipe,"",ü\n', 'ü,5" pipe,""\n'],
  ['a""b,,\n', ',a""b,\n'],
  // Bad rows, of which only their reader knows what to do with them.
  ['1,2\n', '1,2\n'],
  ['1,2,3,4\n', '1,2,3,4\n'],
  ['7,8,9', '9,7,8\n'],
];

test.each([1, 2, 7, 1_000])('values change places, in chunks of %i bytes', async (chunkLength) => {
  const given = rows.map(([text]) => text).join('');
  expect(await textOf(given, chunkLength)).toBe(rows.map(([, text]) => text).join(''));
});

test('a last row whose quote is not closed is not lost', async () => {
  expect(await textOf('1,2,3\n4,"5,6', 3)).toBe('3,1,2\n4,"5,6\n');
});

test('a quote that is never closed ends the copy', async () => {
  await expect(textOf(`"${'x'.repeat(20_000_000)}`, 1_000_000)).rejects.toThrow("a quote isn't closed");
});
