import { describe, expect, test } from 'vitest';
import { parseBoundedJson } from '../../data/bounded-json.ts';
import { canonicalJson } from '../../data/canonical-json.ts';
import { ValidationError } from '../../data/errors.ts';
import type { JsonBounds } from '../../data/json-bounds.ts';

const bounds: JsonBounds = { depth: 8, members: 1_000, storableText: true };
const parse = (text: string, change: Partial<JsonBounds> = {}) =>
  parseBoundedJson(Buffer.from(text), { ...bounds, ...change });

function faultOf(text: string, change: Partial<JsonBounds> = {}) {
  try {
    parse(text, change);
  } catch (error) {
    if (error instanceof ValidationError) return error.faults[0]!;
    throw error;
  }
  throw new Error('It was accepted');
}

describe('a body of JSON', () => {
  test('is the value that it writes, numbers exact', () => {
    const text =
      '{"a":[1,-2.5,1e3,9007199254740993,0.1000000000000000055511151231257827,1E-400],"b":{"c":"\\ud83d\\ude00\\u00e9","d":null},"":true}';
    expect(canonicalJson(parse(text))).toBe(
      '{"":true,"a":[1,-2.5,1000,9007199254740993,0.1000000000000000055511151231257827,1e-400],"b":{"c":"😀é","d":null}}',
    );
    expect(parse(' [ ] ')).toEqual([]);
    expect(parse('{"a":1,"a":9007199254740993}')).toEqual(parse('{"a":9007199254740993}'));
  });

  test.each([
    ['too many characters', `{"a":[0,{"b":1.${'0'.repeat(1_000)}}]}`],
    ['too large an exponent', '{"a":[0,{"b":1e401}]}'],
    ['an exponent of many digits', `{"a":[0,{"b":1E+${'9'.repeat(900)}}]}`],
    ['too small an exponent', '{"a":[0,{"b":-1e-401}]}'],
    ['half of a surrogate pair', '{"a":[0,{"b":"x\\ud800y"}]}'],
    ['the other half', '{"a":[0,{"b":"\\udc00"}]}'],
    ['halves in the wrong order', '{"a":[0,{"b":"\\udc00\\ud800"}]}'],
    ['a half behind a backslash', '{"a":[0,{"b":"\\\\\\ud800"}]}'],
    ['a NUL', '{"a":[0,{"b":"a\\u0000"}]}'],
  ])('with %s is refused at its place', (_, text) => {
    expect(faultOf(text)).toMatchObject({ loc: ['body', 'a', 1, 'b'], type: 'value_error' });
  });

  test('may write backslashes that look like escapes', () => {
    expect(parse('{"a":"\\\\ud800 \\\\u0000 \\\\\\\\u0000"}')).toEqual({ a: '\\ud800 \\u0000 \\\\u0000' });
  });

  test('that has half of a pair in a key is refused at that key', () => {
    expect(faultOf('{"a":1,"b":{"x":1,"\\ud800":2}}').loc).toEqual(['body', 'b', '\ufffd']);
  });

  test('is bounded in depth, members and elements', () => {
    expect(parse('['.repeat(8) + ']'.repeat(8))).toEqual([[[[[[[[]]]]]]]]);
    expect(faultOf('['.repeat(9) + ']'.repeat(9))).toMatchObject({ type: 'value_error' });
    expect(faultOf(`[${'0,'.repeat(1_001)}0]`)).toMatchObject({ loc: ['body'], type: 'too_long' });
    expect(faultOf(`{${'"a":1,'.repeat(1_001)}"b":1}`)).toMatchObject({ loc: ['body'], type: 'too_long' });
    expect(parse(`["${'"'.replace('"', '\\"').repeat(2_000)},,,,:::"]`)).toHaveLength(1);
  });

  test.each(['', '{', '[1,]', '{"a"}', '"', '"\\', '[1}', 'nul', '1e', '{"a":1}}', '\u0001', '-'])(
    '%j is no JSON',
    (text) => {
      expect(faultOf(text)).toMatchObject({ loc: ['body'], type: 'json_invalid' });
    },
  );

  test('that is no UTF-8 is refused', () => {
    expect(() => parseBoundedJson(Buffer.from([0x22, 0xff, 0x22]), bounds)).toThrow('UTF-8');
  });

  test.each([
    ['zeros before a point', `[${'0'.repeat(900)}]`],
    ['a million digits', `[${'1'.repeat(1_000_000)}]`],
    ['a million zeros behind a point', `[1.${'0'.repeat(1_000_000)}]`],
    ['a million brackets', '['.repeat(1_000_000)],
    ['a million backslashes', `["${'\\\\'.repeat(500_000)}"]`],
    ['half a million escapes', `["${'\\u0041'.repeat(160_000)}"]`],
    ['numbers of many digits', `[${Array(20_000).fill('12345678901234567890.5').join(',')}]`],
  ])('of %s is read or refused in one pass', (_, text) => {
    const large = { members: 100_000 };
    try {
      parse(text, large);
    } catch (error) {
      expect(error).toBeInstanceOf(ValidationError);
    }
  });
});
