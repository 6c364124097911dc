import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { claimKey, keepAnswer, newLease } from '../../../../data/postgres/idempotency.ts';
import { resealSlice } from '../../../../domain/workspace/keys/reseal.ts';
import { cipherOf, type Filled, keyList, useKeysLab } from './lab.ts';

/** Defines the test that so many processes are killed, one after the other. */
export function testKills(rounds: number): void {
  const ids = Array.from({ length: rounds + 1 }, (_, round) => `k${round}`);
  const lab = useKeysLab(...ids);
  const connectionUrl = '/v1/connections/data';

  let filled: Filled;
  /** Every value that must be there, by its place. */
  let expected: Map<string, string>;

  beforeAll(async () => {
    filled = await lab.fill();
    await lab.fill();
    for (let count = 0; count < 60; count += 1) await answer(`before-${count}`);
    expected = await lab.opened(cipherOf(...ids));
  });

  /** Keeps an answer under an idempotency key, as the API does. */
  async function answer(key: string): Promise<{ place: string; text: string }> {
    const { db, cipher } = lab.workspace.deps;
    const { organizationId, clientId: callerId } = filled.client;
    const id = { organizationId, callerId, key, leaseUntil: newLease() };
    const kept = { headers: { location: `/${key}` }, body: `The answer to ${key}`.repeat(randomInt(1, 200)) };
    expect((await claimKey(db, cipher, id, Buffer.alloc(32))).state).toBe('ours');
    await keepAnswer(db, cipher, id, { status: 200, ...kept });
    return {
      place: `idempotency_keys.response ${organizationId} ${callerId} ${key}`,
      text: JSON.stringify(kept),
    };
  }

  /** What clients write while values are re-sealed, under the key that is first for the API. */
  async function write(name: string): Promise<void> {
    const { client, connectionId } = filled;
    const secrets = { password: `password of ${name}` };
    const changed = await client.call('PATCH', `${connectionUrl}/${connectionId}`, { body: { secrets } });
    expect(changed.status, changed.text).toBe(200);
    expected.set(
      `data_connections.sealed_secrets ${client.organizationId} ${connectionId}`,
      JSON.stringify(secrets),
    );
    const { place, text } = await answer(name);
    expected.set(place, text);
  }

  /** Re-seals in another process, which is killed at about its nth value. */
  async function killedAt(dots: number, keys: string): Promise<void> {
    const child = spawn(process.execPath, [fileURLToPath(new URL('./reseal-process.ts', import.meta.url))], {
      env: { ...process.env, DATABASE_URL: lab.workspace.databaseUrl, ENCRYPTION_KEYS: keys },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    let seen = 0;
    child.stdout.on('data', (text: Buffer) => {
      seen += text.length;
      if (seen >= dots) child.kill('SIGKILL');
    });
    expect((await exited)[1]).toBe('SIGKILL');
  }

  test(`nothing is lost by ${rounds} processes that are killed while clients write`, async () => {
    let mostInUse = 0;
    for (let round = 1; round <= rounds; round += 1) {
      // The key of the round first: values of earlier rounds are under any of the others.
      const list = [`k${round}`, ...ids.filter((id) => id !== `k${round}`)];
      const dots = randomInt(1, 50);
      let isOver = false;
      const killed = killedAt(dots, keyList(...list)).finally(() => {
        isOver = true;
      });
      for (let count = 0; !isOver; count += 1) await write(`${round}-${count}`);
      await killed;
      expect(await lab.opened(cipherOf(...ids)), `round ${round}, killed at ${dots}`).toEqual(expected);
      mostInUse = Math.max(mostInUse, Object.keys(await lab.keysInUse()).length);
    }
    // Some were killed in the middle of their values.
    expect(mostInUse).toBeGreaterThan(rounds > 10 ? 2 : 1);

    const { db } = lab.workspace.deps;
    const cipher = cipherOf('last', ...ids);
    const slice = await resealSlice({ db, cipher }, null, { values: 100_000, isOver: () => false });
    expect([slice.next, slice.changed, slice.unopened]).toEqual([null, [], []]);
    expect(await lab.opened(cipherOf('last'))).toEqual(expected);
  });
}
