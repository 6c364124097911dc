import { setTimeout as delay } from 'node:timers/promises';
import { type Client, WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { type Cipher, createCipher } from '../data/encryption.ts';
import { createDatabase, type Database } from '../data/postgres/client.ts';
import { createTemporalClient } from '../data/processes/connect.ts';
import { createProcesses } from '../data/processes/processes.ts';
import { readEnvironment, storesConfig, storesEnvironment } from '../data/stores-config.ts';
import { countSlice } from '../domain/workspace/keys/count.ts';
import { keyRotationId, keyRotationStart } from '../domain/workspace/keys/process.ts';
import type { KeyRotationProgress } from '../workflows/workspace/key-rotation/contract.ts';
import { keyRotationProgressQuery } from '../workflows/workspace/key-rotation/names.ts';
import { runCommand } from './command.ts';
import { commandEnvironment } from './command-environment.ts';

const usage = 'Usage: npm run --silent keys -- status | rotate [--no-wait]';
const lookEveryMs = 1_000;
const queryDeadlineMs = 5_000;

const print = (line: string) => process.stdout.write(`${line}\n`);

/**
 * Shows which keys stored secrets are under, or re-seals them under the first key: in the database of
 * DATABASE_URL, or without one in the running stack of WORKSPACE_DATA_DIR.
 */
async function main([command, ...options]: readonly string[]): Promise<void> {
  const isKnown =
    (command === 'status' && options.length === 0) ||
    (command === 'rotate' && (options.length === 0 || options.join() === '--no-wait'));
  if (!isKnown) throw new Error(usage);
  const config = storesConfig(readEnvironment(storesEnvironment, await commandEnvironment()));
  const cipher = createCipher(config.encryptionKeys);
  const { db } = createDatabase({ url: config.databaseUrl, maxConnections: 1, applicationName: 'keys' });
  if (command === 'status') return showStatus(db, cipher);
  const client = createTemporalClient(config.temporal, {});
  await start(db, client, cipher.keyIds[0], config.temporal.tls);
  if (options.length === 0) await follow(client.workflow.getHandle(keyRotationId));
}

async function showStatus(db: Database, cipher: Cipher): Promise<void> {
  const { counts } = await countSlice({ db, cipher }, null, () => false);
  const [first, ...others] = cipher.keyIds;
  const statusOf = (keyId: string) => {
    const under = counts.filter((some) => some.keyId === keyId);
    const total = under.reduce((sum, { count }) => sum + count, 0);
    const columns = under.map(({ column, count }) => `${column} ${count}`).join(', ');
    return { total, text: total === 0 ? `${keyId}: no values` : `${keyId}: ${total} values (${columns})` };
  };
  print(`${statusOf(first).text}. New values are encrypted with this key.`);
  for (const keyId of others) {
    const { total, text } = statusOf(keyId);
    print(
      total === 0
        ? `${text}. You can remove the key ${keyId}.`
        : `${text}. Rotate the keys before you remove it.`,
    );
  }
  const missing = new Set(counts.map(({ keyId }) => keyId).filter((keyId) => !cipher.keyIds.includes(keyId)));
  for (const keyId of missing) print(`${statusOf(keyId).text}. ENCRYPTION_KEYS doesn't contain this key.`);
}

/** Starts the rotation, or finds the running one. */
async function start(db: Database, client: Client, keyId: string, isRemote: boolean): Promise<void> {
  await createProcesses(db, client, { isRemote }).restart(keyRotationStart(keyId));
  const { memo } = await client.workflow.getHandle(keyRotationId).describe();
  const running = memo?.['keyId'];
  if (running !== keyId)
    throw new Error(
      `A rotation to the key ${running} is running (${keyRotationId}). Wait until it ends, or cancel it. Then rotate to ${keyId}.`,
    );
  print(keyRotationId);
}

/** Prints the progress until the rotation has ended. */
async function follow(handle: WorkflowHandle): Promise<void> {
  let last = '';
  for (;;) {
    const { status, raw } = await handle.describe();
    if (status.name !== 'RUNNING') break;
    const failure = raw.pendingActivities?.find(({ lastFailure }) => lastFailure)?.lastFailure?.message;
    const line = failure ? `Trying again: ${failure}` : await progressOf(handle);
    if (line !== last) print(line);
    last = line;
    await delay(lookEveryMs);
  }
  try {
    const line = progressText((await handle.result()) as KeyRotationProgress);
    if (line !== last) print(line);
  } catch (error) {
    throw error instanceof WorkflowFailedError ? (error.cause ?? error) : error;
  }
}

async function progressOf(handle: WorkflowHandle): Promise<string> {
  try {
    return progressText(
      await handle.client.withDeadline(Date.now() + queryDeadlineMs, () =>
        handle.query<KeyRotationProgress>(keyRotationProgressQuery),
      ),
    );
  } catch {
    return 'Waiting for a worker.';
  }
}

function progressText({ keyId, done, left, byColumn }: KeyRotationProgress): string {
  if (left === null) return 'Counting.';
  const columns = Object.entries(byColumn).map(
    ([name, some]) => `${name} ${some.done}/${some.done + some.left}`,
  );
  return [`${done} re-sealed under ${keyId}, ${left} left`, ...columns].join('; ');
}

await runCommand(main);
