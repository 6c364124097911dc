import { expect, test } from 'vitest';
import {
  fieldOf,
  mappedRecord,
  parseAnswer,
  pointedTo,
  recordsOf,
} from '../../../../domain/intake/data-connections/sources/http-records.ts';

const json = (text: string) => parseAnswer(Buffer.from(text)) as never;
const resource = { request_path: '/r' };

test.each([
  ['', '{"a":{"b/c":[{"~":7}]}}', { a: { 'b/c': [{ '~': 7 }] } }],
  ['/a/b~1c/0/~0', '{"a":{"b/c":[{"~":7}]}}', 7],
  ['/', '{"":5}', 5],
  ['/a/01', '{"a":[1,2]}', undefined],
  ['/a/-', '{"a":[1,2]}', undefined],
  ['/toString', '{}', undefined],
  ['/a/length', '{"a":"text"}', undefined],
])('the pointer %s into %s', (pointer, text, expected) => {
  expect(pointedTo(json(text), pointer)).toEqual(expected);
});

test('a field is its own name before it is a path', () => {
  expect(fieldOf(json('{"a.b": 1, "a": {"b": 2, "c": {"d": 3}}}'), 'a.b')).toBe(1);
  expect(fieldOf(json('{"a": {"b": 2, "c": {"d": 3}}}'), 'a.c.d')).toBe(3);
  expect(fieldOf(json('{"a": 5}'), 'a.b')).toBeUndefined();
});

test('JSON in strings is parsed wherever it is, and fields become columns', () => {
  const record = json(
    '{"id": 1, "raw": "[1, 12345678901234567890]", "p": {"extra": "{\\"x\\": 2}", "y": 3}, "no": ""}',
  );
  const mapped = mappedRecord(record, {
    ...resource,
    json_string_fields: ['raw', 'p.extra', 'no', 'missing', 'id'],
    field_mappings: { 'p.extra.x': 'x', id: 'key', gone: 'gone' },
  });
  expect(JSON.stringify(mapped)).toBe(
    '{"raw":[1,12345678901234567890],"p":{"extra":{"x":2},"y":3},"no":"","x":2,"key":1}',
  );
  expect(() => mappedRecord(json('{"raw": "{"}'), { ...resource, json_string_fields: ['raw'] })).toThrow(
    /field raw .* json_string_fields/,
  );
});

test('without pagination one record may stand alone', () => {
  expect(recordsOf(json('{"id": 1}'), resource)).toEqual([{ id: 1 }]);
  expect(() => recordsOf(json('{"id": 1}'), { ...resource, pagination: { mode: 'none' } })).toThrow(
    /no list of records/,
  );
});
