import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { AppError } from '../../../../data/errors.ts';
import { limits } from '../../../../domain/workspace/limits/limits.ts';
import { refuseBeyond } from '../../../../domain/workspace/limits/refuse.ts';
import { limitsPage } from '../../../../local/limits-page.ts';

test('a quota that is used up is refused with its limit and what there is', () => {
  const { lakeCredentials } = limits.tables;
  expect(() => refuseBeyond(lakeCredentials, 19)).not.toThrow();
  let refused: unknown;
  try {
    refuseBeyond(lakeCredentials, 20);
  } catch (error) {
    refused = error;
  }
  expect(refused).toBeInstanceOf(AppError);
  expect(refused).toMatchObject({
    code: 'limit_reached',
    message: 'The organization has 20 lake credentials; the limit is 20. Revoke one first.',
    extensions: { limit: 20, current: 20 },
  });
});

test('the page of limits is made from the table (node local/limits-page.ts)', () => {
  expect(readFileSync('docs/limits.md', 'utf8')).toBe(limitsPage());
});
