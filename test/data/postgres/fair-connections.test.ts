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
  // Two are in progress when it arrives, and two more may have begun.
  expect(done.indexOf('org_one')).toBeLessThan(5);
});

test('half of the connections are left to other organizations', async () => {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const order: string[] = [];
  const first = inOrganization(db, 'org_a', () => ended);
  const second = inOrganization(db, 'org_a', async () => void order.push('org_a'));
  await inOrganization(db, 'org_b', async () => void order.push('org_b'));
  end();
  await Promise.all([first, second]);
  expect(order).toEqual(['org_b', 'org_a']);
});

test('where no connection comes free, a transaction is refused as the pool would, and never begun', async () => {
  const hanging = ['org_a', 'org_c'].map((organizationId) =>
    inOrganization(db, organizationId, (transaction) => sql`SELECT pg_sleep(7)`.execute(transaction)),
  );
  let hasBegun = false;
  const late = inOrganization(db, 'org_b', async () => {
    hasBegun = true;
  });
  await expect(late).rejects.toThrow('timeout exceeded when trying to connect');
  await Promise.all(hanging);
  expect(await inOrganization(db, 'org_b', async () => hasBegun)).toBe(false);
});

test('a transaction within others has no turn to wait for', async () => {
  const nested = () => inOrganization(db, 'org_a', () => inOrganization(db, 'org_b', async () => 'both'));
  expect(await Promise.all([nested(), nested()])).toEqual(['both', 'both']);
});
