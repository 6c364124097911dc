import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type Database, inOrganization } from '../../../data/postgres/client.ts';
import { createTestDatabase } from '../../support/workspace.ts';

const closers: (() => Promise<unknown> | unknown)[] = [];
let db: Database;

beforeAll(async () => {
  const url = await createTestDatabase(closers);
  ({ db } = createDatabase({ url, maxConnections: 4, applicationName: 'test' }));
  closers.push(() => db.destroy());
});

afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

test('many transactions of one organization are not before the first of another', async () => {
  const done: string[] = [];
  const work = (organizationId: string) =>
    inOrganization(db, organizationId, async (transaction) => {
      await sql`SELECT pg_sleep(0.02)`.execute(transaction);
      done.push(organizationId);
    });
  await Promise.all([...Array.from({ length: 40 }, () => work('org_many')), work('org_one')]);
  expect(done).toHaveLength(41);
  // Two are worked at when it comes, and two more may have begun.
  expect(done.indexOf('org_one')).toBeLessThan(5);
});

test('a transaction within others has no turn to wait for', async () => {
  const nested = () => inOrganization(db, 'org_a', () => inOrganization(db, 'org_b', async () => 'both'));
  expect(await Promise.all([nested(), nested()])).toEqual(['both', 'both']);
});
