import { describe, expect, test } from 'vitest';
import { misfitOf } from '../../../../domain/analyst/app-connections/misfit.ts';

const ofProperties = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

describe('the input of a tool', () => {
  test.each([
    [{}, ofProperties({ title: { type: 'string' } }, { required: ['title'] }), /^title: .*string/],
    [{ count: 0 }, ofProperties({ count: { type: 'integer', minimum: 1 } }), /^count: /],
    [{ count: 1.5 }, ofProperties({ count: { type: 'integer' } }), /^count: /],
    [{ state: 'shut' }, ofProperties({ state: { enum: ['open', 'closed'] } }), /open.*closed/],
    [{ other: 1 }, ofProperties({}, { additionalProperties: false }), /other/],
    [{ tags: ['a', 2] }, ofProperties({ tags: { type: 'array', items: { type: 'string' } } }), /^tags\.1: /],
    [{ format: 1 }, ofProperties({ format: { type: 'string' } }), /^format: /],
  ])('%j does not fit %j', (input, schema, fault) => {
    expect(misfitOf(input, schema)).toMatch(fault);
  });

  test.each([
    [{}, ofProperties({})],
    [{ title: 'x', more: 1 }, ofProperties({ title: { type: 'string' } }, { required: ['title'] })],
    [{ at: 'soon' }, ofProperties({ at: { type: 'string', format: 'date-time' } })],
    [{ code: 'x' }, ofProperties({ code: { type: 'string', pattern: '^(a+)+$' } })],
    [{ a: 'x' }, ofProperties({ a: { not: { type: 'string', pattern: 'y' } } })],
    [
      { a: 'x' },
      ofProperties({
        a: {
          oneOf: [
            { type: 'string', pattern: 'x' },
            { type: 'string', pattern: 'y' },
          ],
        },
      }),
    ],
    [{ x_1: 'x' }, ofProperties({}, { patternProperties: { '^x_': {} }, additionalProperties: false })],
    [{ of: 1 }, ofProperties({ of: { $ref: '#/$defs/name' } }, { $defs: { name: { type: 'string' } } })],
    [{ a: 1 }, ofProperties({ a: { type: 'no type at all' } })],
  ])('%j is left to the server under %j', (input, schema) => {
    expect(misfitOf(input, schema)).toBeUndefined();
  });

  test('costs no time where references or expressions are made to multiply', () => {
    const levels = Array.from({ length: 30 }, (_, level) => [
      `l${level}`,
      { anyOf: [{ $ref: `#/$defs/l${level + 1}` }, { $ref: `#/$defs/l${level + 1}` }] },
    ]);
    const schema = ofProperties({ a: { $ref: '#/$defs/l0' } }, { $defs: Object.fromEntries(levels) });
    expect(misfitOf({ a: `${'a'.repeat(60)}!` }, schema)).toBeUndefined();
  });
});
