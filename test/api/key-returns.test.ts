import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createKeyReturns } from '../../api/plugins/key-returns.ts';
import { claimKey, type IdempotencyKey, keepAnswer, newLease } from '../../data/postgres/idempotency.ts';
import { expectEventually } from '../support/eventually.ts';
import { useWorkspace } from '../support/workspace.ts';

const workspace = useWorkspace();
const hash = Buffer.alloc(32, 1);
const quiet = pino({ level: 'silent' });

async function newKey(): Promise<IdempotencyKey> {
  const { organizationId, clientId } = await workspace.organization();
  return { organizationId, callerId: clientId, key: randomUUID(), leaseUntil: newLease() };
}

function claim(key: IdempotencyKey, leaseUntil = key.leaseUntil) {
  return claimKey(workspace.deps.db, workspace.deps.cipher, { ...key, leaseUntil }, hash);
}

/** Runs a statement as the owner of the table, to simulate an unavailable database. */
function asOwner(statement: string) {
  return workspace.deps.lake.catalogPool.query(statement);
}

test('a key that could not be given back at once is given back when the database answers again', async () => {
  const { db } = workspace.deps;
  const returns = createKeyReturns(db, quiet);
  const [unknown, harmless, alsoUnknown] = await Promise.all([newKey(), newKey(), newKey()]);
  const keys = [unknown, harmless, alsoUnknown];
  for (const key of keys) expect((await claim(key)).state).toBe('ours');
  await asOwner('ALTER TABLE idempotency_keys RENAME TO idempotency_keys_away');
  try {
    await returns.give(unknown, 'unknown');
    await returns.give(harmless, 'no-effect');
    await returns.give(alsoUnknown, 'unknown');
  } finally {
    await asOwner('ALTER TABLE idempotency_keys_away RENAME TO idempotency_keys');
  }
  for (const key of keys)
    await expectEventually(async () => (await claim(key, new Date(Date.now() + 60_000))).state).toBe('ours');
});

test('only the request that holds a key gives it back or keeps its answer', async () => {
  const { db, cipher } = workspace.deps;
  const first = await newKey();
  first.leaseUntil = new Date(Date.now() - 1_000);
  expect((await claim(first)).state).toBe('ours');
  const second = { ...first, leaseUntil: newLease() };
  expect((await claim(second)).state).toBe('ours');
  // The first request was assumed dead, but answers after all.
  await createKeyReturns(db, quiet).give(first, 'no-effect');
  await keepAnswer(db, cipher, first, { status: 201, headers: {}, body: 'of the first' });
  expect((await claim(first, newLease())).state).toBe('running');
  await keepAnswer(db, cipher, second, { status: 201, headers: {}, body: 'of the second' });
  expect(await claim(first, newLease())).toMatchObject({
    state: 'answered',
    answer: { body: 'of the second' },
  });
});

test('a write whose answer could not be kept is not told, and its repetition finds what it made', async () => {
  const client = await workspace.organization();
  await asOwner(`CREATE FUNCTION refuse_answers() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NEW.response_status IS NOT NULL THEN RAISE EXCEPTION 'away' USING ERRCODE = '57P01'; END IF;
      RETURN NEW;
    END $$`);
  await asOwner(
    'CREATE TRIGGER refuse_answers BEFORE UPDATE ON idempotency_keys FOR EACH ROW EXECUTE FUNCTION refuse_answers()',
  );
  const create = () =>
    client.call('POST', '/v1/projects', {
      body: { name: 'Told once' },
      headers: { 'idempotency-key': 'one project' },
    });
  const untold = await create();
  expect([untold.status, untold.body.code]).toEqual([503, 'storage_unavailable']);
  await asOwner('DROP TRIGGER refuse_answers ON idempotency_keys');
  await expectEventually(async () => (await create()).status).toBe(201);
  const list = await client.call('GET', '/v1/projects');
  expect(list.body.items.map((project: { name: string }) => project.name)).toEqual(['Told once']);
});
