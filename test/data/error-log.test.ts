import { expect, test } from 'vitest';
import { errorForLog, withoutValues } from '../../data/error-log.ts';
import { AppError } from '../../data/errors.ts';

const withCode = (message: string, code: string) => Object.assign(new Error(message), { code });
const logged = (error: Error) => errorForLog(error)?.['message'];

test.each<[string, string | undefined, string]>([
  ['No encryption key with the id "k2".', undefined, 'No encryption key with the id "k2".'],
  [
    'password authentication failed for user "workspace"',
    '28P01',
    'password authentication failed for user "workspace"',
  ],
  ['relation "public.runs" does not exist', '42P01', 'relation "public.runs" does not exist'],
  ['connect ECONNREFUSED 127.0.0.1:5432', 'ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:5432'],
  ['getaddrinfo ENOTFOUND db.example.com', 'ENOTFOUND', 'getaddrinfo ENOTFOUND db.example.com'],
  [
    'remaining connection slots are reserved for roles',
    '53300',
    'remaining connection slots are reserved for roles',
  ],
  [
    'column "amount" of relation "orders" does not exist',
    '42703',
    'column "amount" of relation "orders" does not exist',
  ],
])('what an operator needs stays: %s', (message, code, shown) => {
  expect(logged(code === undefined ? new Error(message) : withCode(message, code))).toBe(shown);
});

test.each<[string, string | undefined]>([
  ['invalid input syntax for type integer: "hunter2"', '22P02'],
  [
    'duplicate key value violates unique constraint "users_email" Key (email)=(hunter2@example.com) already exists.',
    '23505',
  ],
  ['Failing row contains (1, hunter2, 5).', '23502'],
  [
    "Conversion Error: Could not convert string 'hunter2' to INT32\n\nLINE 1: SELECT CAST('hunter2' AS INTEGER)",
    undefined,
  ],
  ['Binder Error: Referenced column "hunter2" not found in FROM clause!\nCandidate bindings: "a"', undefined],
  ['Parser Error: syntax error at or near "hunter2"', undefined],
  ['Unexpected token \'h\', "hunter2 is" is not valid JSON', undefined],
  ["Constraint Error: Duplicate key 'id: hunter2' violates", undefined],
  ['Something failed near "hunter2 and no end', undefined],
  ["Out of Range Error: Overflow in multiplication of INT64 (90210 * 'hunter2')", undefined],
])('no value stays: %s', (message, code) => {
  const shown = withoutValues(message, code);
  expect(shown).not.toContain('hunter2');
  expect(shown).not.toContain('90210');
  expect(shown.length).toBeGreaterThan(10);
});

test('our own errors say what they say, and causes are told too', () => {
  const cause = withCode('role "ghost" does not exist', '42704');
  const error = new AppError('conflict', 'There is a table "a" already.', { cause });
  expect(errorForLog(error)).toMatchObject({
    ...{ type: 'AppError', code: 'conflict', message: 'There is a table "a" already.' },
    cause: { code: '42704', message: 'role "ghost" does not exist' },
  });
  expect(logged(new Error('x'.repeat(9_000)))).toHaveLength(501);
});
