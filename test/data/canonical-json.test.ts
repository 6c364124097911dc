import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../data/canonical-json.ts';
import { parseExactJson } from '../../data/exact-json.ts';

describe('canonical JSON', () => {
  it.each([
    // RFC 8785, section 3.2.3: order by UTF-16 code units.
    [
      '{"\\u20ac":"Euro Sign","\\r":"Carriage Return","\\ufb33":"Hebrew","1":"One","\\ud83d\\ude00":"Emoji","\\u0080":"Control","\\u00f6":"o"}',
      '{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"o","€":"Euro Sign","😀":"Emoji","\ufb33":"Hebrew"}',
    ],
    ['[ 1 , {"b":[ ] , "a":null} ]', '[1,{"a":null,"b":[]}]'],
    ['"\\u0041\\/\\u001f\\n\\u2028"', '"A/\\u001f\\n\u2028"'],
    ['[-0, 0.0, 1.50, 1e2, 100E-1]', '[0,0,1.5,100,10]'],
    // RFC 8785, appendix B, where a double holds the value.
    [
      '[333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001]',
      '[333333333.33333329,1e+30,4.5,0.002,1e-27]',
    ],
    [
      '[1e21, 1e20, 123456789012345680000, 0.000001, 0.0000001]',
      '[1e+21,100000000000000000000,123456789012345680000,0.000001,1e-7]',
    ],
    // Beyond doubles: two numbers that RFC 8785 would make equal.
    ['[9007199254740992, 9007199254740993]', '[9007199254740992,9007199254740993]'],
    ['12345678901234567890.123456789012345678', '12345678901234567890.123456789012345678'],
  ])('of %s', (given, canonical) => {
    expect(canonicalJson(parseExactJson(given))).toBe(canonical);
  });

  it('is a fixed point', () => {
    const text = canonicalJson(parseExactJson('{"b":[1.10,{"y":"é","x":1e400}],"a":"\\ud800"}'));
    expect(canonicalJson(parseExactJson(text))).toBe(text);
  });
});
