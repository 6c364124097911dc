import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { ownerOf, tryLock } from '../../local/lock.ts';

it('gives a lock to one holder at a time and names it', async () => {
  const name = randomUUID();
  const lock = await tryLock(name);
  expect(await tryLock(name)).toBeUndefined();
  expect(await ownerOf(name)).toBe(process.pid);
  await lock?.release();
  expect(await ownerOf(name)).toBeUndefined();
  await (await tryLock(name))?.release();
});
