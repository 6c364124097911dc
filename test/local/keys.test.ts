import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { NativeConnection, Worker } from '@temporalio/worker';
import { beforeAll, expect, test } from 'vitest';
import { keyRotationControlActivities } from '../../activities/workspace/control.ts';
import { taskQueues } from '../../workflows/task-queues.ts';
import { cipherOf, keyList, useKeysLab } from '../domain/workspace/keys/lab.ts';
import { eventually } from '../support/eventually.ts';
import { quietRuntime } from '../support/temporal.ts';
import { workflowBundle } from '../support/workflow-bundle.ts';

const lab = useKeysLab('k1');
const script = fileURLToPath(new URL('../../local/keys.ts', import.meta.url));

beforeAll(async () => {
  await lab.fill();
});

/** The command with this key list. */
async function keys(ids: string[], ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const env = {
    ...process.env,
    DATABASE_URL: lab.workspace.databaseUrl,
    TEMPORAL_NAMESPACE: lab.workspace.temporal.options.namespace,
    ENCRYPTION_KEYS: keyList(...ids),
  };
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [script, ...args], { env });
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout, err: stderr };
  }
}

test('status tells what is under which key, and which key can be dropped', async () => {
  const total = (await lab.sealed()).size;
  const { code, out } = await keys(['k1', 'k2'], 'status');
  expect(code).toBe(0);
  const [first, second, ...others] = out.trim().split('\n');
  expect(first).toMatch(
    new RegExp(
      `^k1: ${total} values \\(.*lakes.reader_password 1.*\\)\\. New values are encrypted with this key\\.$`,
    ),
  );
  expect(second).toBe('k2: no values. You can remove the key k2.');
  expect(others).toEqual([]);
  expect((await keys(['k2', 'k1'], 'status')).out).toMatch(
    /^k2: no values\. New values are encrypted with this key\.\nk1: .* Rotate the keys before/,
  );
  expect((await keys(['k2'], 'status')).out).toMatch(
    /\nk1: .*\. ENCRYPTION_KEYS doesn't contain this key\.\n$/,
  );
});

test('rotate starts the process or joins it, and waits for its end', async () => {
  const total = (await lab.sealed()).size;
  expect(await keys(['k2', 'k1'], 'rotate', '--no-wait')).toEqual({
    code: 0,
    out: 'key-rotation\n',
    err: '',
  });
  const other = await keys(['k3', 'k1'], 'rotate');
  expect([other.code, other.err]).toEqual([
    1,
    'A rotation to the key k2 is running (key-rotation). Wait until it ends, or cancel it. Then rotate to k3.\n',
  ]);
  quietRuntime();
  const connection = await NativeConnection.connect({ address: process.env['TEMPORAL_ADDRESS']! });
  const worker = await Worker.create({
    connection,
    namespace: lab.workspace.temporal.options.namespace!,
    workflowBundle: workflowBundle(),
    taskQueue: taskQueues.control,
    activities: keyRotationControlActivities({ db: lab.workspace.deps.db, cipher: cipherOf('k2', 'k1') }),
  });
  await worker.runUntil(async () => {
    const { code, out, err } = await keys(['k2', 'k1'], 'rotate');
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^key-rotation\n/);
    expect(out).toMatch(/\d+ re-sealed under k2, 0 left(; .*)?\n$/);
    await eventually(lab.keysInUse, (inUse) => inUse['k2'] === total);
    const status = await keys(['k2', 'k1'], 'status');
    expect(status.out).toMatch(/\nk1: no values\. You can remove the key k1\.\n$/);
    await lab.workspace.deps.lake.catalogPool.query('UPDATE lakes SET reader_password = $1', [
      cipherOf('lost').seal('a lost secret'),
    ]);
    const failed = await keys(['k2', 'k1'], 'rotate');
    expect([failed.code, failed.err]).toEqual([
      1,
      expect.stringMatching(
        /key k2\. ENCRYPTION_KEYS lacks the key lost: 1 of lakes\.reader_password under lost\./,
      ),
    ]);
  });
  await connection.close();
});

test('what it does not understand is refused', async () => {
  const usage = 'Usage: npm run --silent keys -- status | rotate [--no-wait]\n';
  for (const args of [[], ['drop'], ['status', '--no-wait'], ['rotate', '--now']])
    expect(await keys(['k1'], ...args)).toEqual({ code: 1, out: '', err: usage });
});
