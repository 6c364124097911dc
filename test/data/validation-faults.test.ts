import { expect, test } from 'vitest';
import { z } from 'zod';
import { eitherCase } from '../../api/automation/schedules/either-case.ts';
import { mapOf } from '../../api/free-form.ts';
import { faultsOf } from '../../data/validation-faults.ts';

function faults(schema: z.ZodType, value: unknown): string[] {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return [];
  return faultsOf(parsed.error.issues, ['body']).map(
    ({ loc, type, msg }) => `${loc.join('.')} ${type}: ${msg}`,
  );
}

test('a value of a wrong type has no fault but that', () => {
  const schema = z.object({ scopes: z.array(z.string()).max(3), name: z.string().min(3).regex(/^a/) });
  expect(faults(schema, { scopes: 'too long for three', name: [1] })).toEqual([
    'body.scopes list_type: Input should be a valid list',
    'body.name string_type: Input should be a valid string',
  ]);
});

test('of two bounds that a number exceeds, its own is told', () => {
  expect(faults(z.object({ limit: z.int().max(10) }), { limit: 1e30 })).toEqual([
    'body.limit less_than_equal: Input should be less than or equal to 10',
  ]);
});

test('two faults of one value that differ are both told', () => {
  const twice = z.string().regex(/^a/, 'Begins with a').regex(/z$/, 'Ends with z');
  expect(faults(z.object({ name: twice }), { name: 'b' })).toHaveLength(2);
  const schema = z.object({ name: z.string().max(2).regex(/^a/, 'Begins with a') });
  expect(faults(schema, { name: 'bcd' })).toHaveLength(2);
});

test('what is left out in a branch of a union is missing', () => {
  const target = z.union([
    z.strictObject({ table_id: z.string() }),
    z.strictObject({ project_id: z.string() }),
  ]);
  expect(faults(z.object({ target }), { target: {} })).toEqual([
    'body.target.table_id missing: Field required',
  ]);
  expect(faults(z.object({ target }), { target: { table_id: 1 } })).toEqual([
    'body.target.table_id string_type: Input should be a valid string',
  ]);
});

test('a map that is left out is missing', () => {
  const schema = z.strictObject({
    params: mapOf(100),
    schedule: eitherCase(z.object({ zone_id: z.string() })),
  });
  const expectedFaults = (type: string) => [
    expect.stringContaining(`body.params ${type}:`),
    expect.stringContaining(`body.schedule ${type}:`),
  ];
  expect(faults(schema, {})).toEqual(expectedFaults('missing'));
  expect(faults(schema, { params: null, schedule: [] })).toEqual(expectedFaults('dict_type'));
});
