/**
 * One more API process or worker beside a running stack, until Ctrl-C: what a feature gains from it.
 *
 *   npm start                        (in another terminal)
 *   node bench/one-more.ts api       (in a third; prints its address)
 *   ALSO_API_URL=http://127.0.0.1:… node bench/appends.ts 8 32 10
 */
import { spawn } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processEnvironment } from '../data/process-environment.ts';
import { freePort } from '../local/ports.ts';
import { readStack } from './workspace.ts';

const [name = 'api'] = process.argv.slice(2);
if (name !== 'api' && name !== 'worker') throw new Error(`Unknown: ${name}. Known: api, worker.`);
const folder = mkdtempSync(join(tmpdir(), `one-more-${name}-`));
const port = await freePort();
const child = spawn(
  process.execPath,
  ['--enable-source-maps', join(import.meta.dirname, `../${name}/main.ts`)],
  {
    env: {
      ...process.env,
      ...processEnvironment,
      ...readStack().environment,
      WORK_DIR: folder,
      PORT: String(port),
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  },
);
const log = createWriteStream(join(tmpdir(), `one-more-${name}.log`));
child.stdout?.pipe(log);
child.stderr?.pipe(log);
child.on('message', (message) => {
  if (typeof message !== 'object' || !('ready' in message)) return;
  console.log(name === 'api' ? `http://127.0.0.1:${port}` : 'The worker is ready.');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill('SIGTERM'));
child.on('exit', (code) => {
  rmSync(folder, { recursive: true, force: true });
  process.exit(code ?? 1);
});
