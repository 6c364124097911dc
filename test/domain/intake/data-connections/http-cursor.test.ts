import { expect, test } from 'vitest';
import {
  type CursorPolicy,
  laterOf,
  reachedAt,
  withReached,
} from '../../../../domain/intake/data-connections/sources/http-cursor.ts';
import { parseAnswer } from '../../../../domain/intake/data-connections/sources/http-records.ts';

const policy = (format: CursorPolicy['format'], more: Partial<CursorPolicy> = {}): CursorPolicy => ({
  field: 'at',
  format,
  ...more,
});

function record(at: string, id = '1') {
  return parseAnswer(Buffer.from(`{"at": ${at}, "id": ${id}}`)) as Record<string, never>;
}

test.each([
  ['iso8601', '"2026-01-01T00:00:00Z"', '"2026-01-01T01:00:00.000000001+01:00"'],
  ['iso8601', '"2026-01-01T23:59:59.999Z"', '"2026-01-02"'],
  ['iso8601', '"2026-01-01 10:00:00"', '"2026-01-01T09:00:00-02:00"'],
  ['epoch_seconds', '1767225600', '1767225600.000001'],
  ['epoch_seconds', '"9"', '"10"'],
  ['epoch_seconds', '-2', '-1.5'],
  ['epoch_millis', '9', '1e3'],
  ['integer', '9007199254740992', '9007199254740993'],
  ['integer', '-10', '"-9"'],
  ['string', '"10"', '"9"'],
] as const)('%s: %s is before %s', (format, earlier, later) => {
  const [one, other] = [
    laterOf(null, record(earlier), policy(format)),
    laterOf(null, record(later), policy(format)),
  ];
  expect(laterOf(one, record(later), policy(format))).toEqual(other);
  expect(laterOf(other, record(earlier), policy(format))).toEqual(other);
});

test('of records of one instant the greatest tie breaker is kept, however the instant is written', () => {
  const tied = policy('iso8601', { tie_breaker_field: 'id', tie_breaker_format: 'integer' });
  const nine = laterOf(null, record('"2026-01-01T00:00:00Z"', '9'), tied);
  const ten = laterOf(nine, record('"2026-01-01T00:00:00.000Z"', '10'), tied);
  expect(ten).toEqual({ cursor: '2026-01-01T00:00:00.000Z', tieBreaker: '10' });
  expect(laterOf(ten, record('"2026-01-01T00:00:00Z"', '2'), tied)).toEqual(ten);
  expect(laterOf(ten, record('"2026-01-01T00:00:01Z"', '2'), tied).tieBreaker).toBe('2');
});

test.each([
  ['iso8601', '"2026-13-01T00:00:00Z"'],
  ['iso8601', '"2026-02-30T00:00:00Z"'],
  ['iso8601', '5'],
  ['integer', '1.5'],
  ['integer', '"0x10"'],
  ['epoch_millis', '"1e999999"'],
  ['epoch_seconds', 'true'],
  ['string', '""'],
  ['string', 'null'],
  ['string', '{"a": 1}'],
] as const)('%s: %s is no cursor', (format, value) => {
  expect(() => laterOf(null, record(value), policy(format))).toThrow(
    expect.objectContaining({ stage: 'request' }),
  );
});

test('placeholders are written as the policy says, and only they are', () => {
  const reached = { cursor: `it's "7"`, tieBreaker: '12' };
  const parameters = { q: 'at >= ${cursor} and id > ${tie_breaker} ${other} $', plain: '5' };
  const tie = { tie_breaker_field: 'id', tie_breaker_format: 'integer' } as const;
  const written = (more: Partial<CursorPolicy>, from = reached as Parameters<typeof withReached>[1]) =>
    withReached(parameters, from, policy('string', { ...tie, ...more }))['q'];
  expect(written({})).toBe(`at >= it's "7" and id > 12 \${other} $`);
  expect(written({ literal_style: 'single_quoted' })).toBe(`at >= 'it''s "7"' and id > 12 \${other} $`);
  expect(written({ literal_style: 'double_quoted', tie_breaker_format: 'string' })).toBe(
    `at >= "it's \\"7\\"" and id > "12" \${other} $`,
  );
  expect(written({}, { cursor: '${tie_breaker}', tieBreaker: null })).toBe(
    'at >= ${tie_breaker} and id > 0 ${other} $',
  );
});

test('a source that begins now needs a cursor of time', () => {
  const now = new Date('2026-01-01T00:00:00.500Z');
  expect(reachedAt(now, policy('iso8601')).cursor).toBe('2026-01-01T00:00:00.500Z');
  expect(reachedAt(now, policy('epoch_seconds')).cursor).toBe('1767225600');
  expect(reachedAt(now, policy('epoch_millis')).cursor).toBe('1767225600500');
  expect(() => reachedAt(now, policy('integer'))).toThrow(/isn't a time/);
});
