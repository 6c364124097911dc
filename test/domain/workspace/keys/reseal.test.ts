import { expect, test } from 'vitest';
import { keyIdOf } from '../../../../data/encryption.ts';
import { countSlice } from '../../../../domain/workspace/keys/count.ts';
import { resealSlice } from '../../../../domain/workspace/keys/reseal.ts';
import { eventually } from '../../../support/eventually.ts';
import { cipherOf, useKeysLab } from './lab.ts';

const lab = useKeysLab('k1');
const untilTheEnd = { values: 1_000, isOver: () => false };

const whole = (...ids: string[]) =>
  resealSlice({ db: lab.workspace.deps.db, cipher: cipherOf(...ids) }, null, untilTheEnd);
const sum = (counts: { count: number }[]) => counts.reduce((total, { count }) => total + count, 0);
const query = (text: string, values: unknown[] = []) =>
  lab.workspace.deps.lake.catalogPool.query(text, values);

test('slices of any size visit every value once, of every organization', async () => {
  await lab.fill();
  await lab.fill();
  const { db } = lab.workspace.deps;
  const before = await lab.opened(cipherOf('k1'));
  for (const [values, pageRows, id] of [
    [1, 1, 'k2'],
    [3, 2, 'k3'],
    [2, 500, 'k4'],
  ] as const) {
    const cipher = cipherOf(id, 'k1', 'k2', 'k3');
    let resealed = 0;
    let slices = 0;
    let next: Parameters<typeof resealSlice>[1] = null;
    do {
      const slice = await resealSlice({ db, cipher }, next, {
        values,
        isOver: () => slices % 2 === 0,
        pageRows,
      });
      expect([sum(slice.resealed) <= values, slice.changed, slice.unopened]).toEqual([true, [], []]);
      resealed += sum(slice.resealed);
      slices += 1;
      next = slice.next;
    } while (next !== null);
    expect(resealed).toBe(before.size);
    expect(await lab.opened(cipherOf(id))).toEqual(before);
    const { counts } = await countSlice({ db, cipher }, null, () => false);
    expect([sum(counts), new Set(counts.map(({ keyId }) => keyId))]).toEqual([before.size, new Set([id])]);
  }
  await whole('k1', 'k4');
});

test('two runs at once do not harm each other, and leave nothing under the old key', async () => {
  await lab.fill();
  const before = await lab.opened(cipherOf('k1'));
  const [one, two] = await Promise.all([whole('k5', 'k1'), whole('k5', 'k1')]);
  expect(sum(one.resealed) + sum(two.resealed)).toBe(before.size);
  expect(await lab.opened(cipherOf('k5'))).toEqual(before);
  await whole('k1', 'k5');
});

test('a change that a request makes at the same moment is not overwritten', async () => {
  const { connectionId } = await lab.fill();
  const changed = cipherOf('k1').seal(JSON.stringify({ password: 'changed meanwhile' }));
  const request = await lab.workspace.deps.lake.catalogPool.connect();
  await request.query('BEGIN');
  await request.query('UPDATE data_connections SET sealed_secrets = $1 WHERE id = $2', [
    changed,
    connectionId,
  ]);
  const resealing = whole('k6', 'k1');
  const waiting = async () =>
    (
      await query(
        `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ~ 'data_connections'`,
      )
    ).rowCount;
  await eventually(waiting, (sessions) => sessions === 1);
  await request.query('COMMIT');
  request.release();
  expect((await resealing).changed).toEqual([
    { column: 'data_connections.sealed_secrets', keyId: 'k1', count: 1 },
  ]);
  const stored = async () =>
    (await query('SELECT sealed_secrets FROM data_connections WHERE id = $1', [connectionId])).rows[0]
      .sealed_secrets as Buffer;
  expect(await stored()).toEqual(changed);
  // The next pass finds it.
  expect(sum((await whole('k6', 'k1')).resealed)).toBe(1);
  expect(
    cipherOf('k6')
      .open(await stored())
      .toString(),
  ).toBe(JSON.stringify({ password: 'changed meanwhile' }));
  await whole('k1', 'k6');
});

test('values that no key opens are counted and stay; all others are re-sealed, and nothing of a value is told', async () => {
  const { client, connectionId } = await lab.fill();
  const lost = cipherOf('lost').seal('a lost secret');
  const broken = cipherOf('k1').seal('a broken secret');
  broken[broken.length - 1]! ^= 1;
  const never = Buffer.from('"never sealed, and longer than any of the headers of keys that there are"');
  await query('UPDATE data_connections SET sealed_secrets = $1 WHERE id = $2', [lost, connectionId]);
  await query('UPDATE app_connections SET sealed_secrets = $1 WHERE organization_id = $2', [
    broken,
    client.organizationId,
  ]);
  await query('UPDATE lakes SET reader_password = $1 WHERE organization_id = $2', [
    never,
    client.organizationId,
  ]);
  const slice = await whole('k7', 'k1');
  expect(slice.unopened).toEqual([
    { column: 'data_connections.sealed_secrets', keyId: 'lost', count: 1, reason: 'missing' },
    { column: 'lakes.reader_password', keyId: '(no key)', count: 1, reason: 'missing' },
    { column: 'app_connections.sealed_secrets', keyId: 'k1', count: 1, reason: 'unreadable' },
  ]);
  const values = [...(await lab.sealed()).values()];
  const others = values.filter((value) => ![lost, broken, never].some((some) => some.equals(value)));
  expect(values.length - others.length).toBe(3);
  expect(new Set(others.map(keyIdOf))).toEqual(new Set(['k7']));
});
