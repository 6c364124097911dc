import { expect, test } from 'vitest';
import { createUnescaper } from '../../src/text/unescape.ts';

function unescaped(text: string, chunkLength: number, escaping = '\\', separators = [',']): string {
  const unescaper = createUnescaper({ escaping, quote: '"', separators })!;
  const bytes = Buffer.from(text);
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += chunkLength)
    parts.push(Buffer.from(unescaper.write(bytes.subarray(at, at + chunkLength))));
  return Buffer.concat([...parts, unescaper.end()]).toString();
}

const cases = [
  ['"a \\"b\\"",2\n', '"a ""b""",2\n'],
  ['1,"ends with \\"",3\n', '1,"ends with """,3\n'],
  ['"\\"",2\n', '"""",2\n'],
  ['"C:\\\\dir\\\\",2\n', '"C:\\dir\\",2\n'],
  // Before anything else, the character is itself.
  ['"a\\nb","\\,"\n', '"a\\nb","\\,"\n'],
  ['"doubled ""too""",x\n', '"doubled ""too""",x\n'],
  ['"",""\n', '"",""\n'],
  ['5\\" pipe,5" pipe, "x\\"y"\n', '5" pipe,5" pipe, "x""y"\n'],
  ['"line\n\\"break",ü\n', '"line\n""break",ü\n'],
  ['a\\', 'a\\'],
  ['"a\\', '"a\\'],
] as const;

test.each([1, 2, 3, 1_000])('quotes within values are doubled, in chunks of %i bytes', (chunkLength) => {
  for (const [given, expected] of cases) expect(unescaped(given, chunkLength)).toBe(expected);
});

test('other characters escape, and other separators begin a field', () => {
  expect(unescaped('"a ^"b^"";"c"\n', 1_000, '^', [';'])).toBe('"a ""b""";"c"\n');
  expect(unescaped('x§"a \\"b"\n', 1, '\\', ['§'])).toBe('x§"a ""b"\n');
});

test('where quotes are only doubled, there is nothing to do', () => {
  const layout = { quote: '"', separators: [','] };
  expect(createUnescaper({ ...layout, escaping: undefined })).toBeUndefined();
  expect(createUnescaper({ ...layout, escaping: '"' })).toBeUndefined();
  expect(createUnescaper({ ...layout, escaping: '\\', quote: undefined })).toBeUndefined();
});
