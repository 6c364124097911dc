import { expect, test } from 'vitest';
import { createMessageReader, ProtocolFault, readParameter, readStartup } from '../index.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

test.each([
  [16, '01', 't'],
  [21, '0005', '5'],
  [20, 'ffffffffffffffff', '-1'],
  [701, '3ff8000000000000', '1.5'],
  [1700, '0003 0001 0000 0002 0001 0929 1388', '12345.50'],
  [1700, '0001 ffff 4000 0004 0001', '-0.0001'],
  [1082, '00000000', '2000-01-01'],
  [1114, 'ffffffffffffffff', '1999-12-31 23:59:59.999999'],
  [1184, '7fffffffffffffff', 'infinity'],
  [1186, '00000000000f4240 00000003 00000002', 'P2M3DT1.000000S'],
  [2950, '000102030405060708090a0b0c0d0e0f', '00010203-0405-0607-0809-0a0b0c0d0e0f'],
])('a value of type %d in binary', (oid, bytes, text) => {
  expect(readParameter(oid, 1, hex(bytes))).toEqual({ type: expect.any(String), text });
});

test('arrays as text and in binary', () => {
  const items = ['a', null, 'b "c"', 'NULL'];
  expect(readParameter(1009, 0, Buffer.from('{a,NULL,"b \\"c\\"","NULL"}'))).toEqual({ type: 'text', items });
  const binary = hex('00000001 00000000 00000017 00000002 00000001 00000004 00000001 ffffffff');
  expect(readParameter(1007, 1, binary)).toEqual({ type: 'int4', items: ['1', null] });
});

test('what is no value of its type is refused', () => {
  for (const [oid, text] of [
    [23, 'x'],
    [1007, '{1,x}'],
    [1007, '1'],
    [16, 'maybe'],
    [25, 'a\0b'],
  ] as const)
    expect(() => readParameter(oid, 0, Buffer.from(text)), text).toThrow(ProtocolFault);
});

test('a length that lies takes no memory', () => {
  const reader = createMessageReader(() => 1_000);
  reader.push(hex('51 40000000'));
  expect(() => reader.next()).toThrow('up to 1000 bytes');
  const negative = createMessageReader(() => 1_000);
  negative.push(hex('51 ffffffff'));
  expect(() => negative.next()).toThrow(ProtocolFault);
});

test('a startup message of another protocol is refused', () => {
  expect(() => readStartup(hex('00020000'))).toThrow('version 3');
  expect(() => readStartup(hex('000300'))).toThrow(ProtocolFault);
});
