import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Lock, tryLock } from './lock.ts';

const toolsDir = fileURLToPath(new URL('../.tools', import.meta.url));
const lockPollMs = 200;

/** Files that are installed as a unit. */
export type Installation = {
  /** Of its folders in .tools/; identifies older versions. */
  prefix: string;
  /** Everything the installed files depend on: different content is installed to a different folder. */
  content: string;
  what: string;
  size: string;
};

/**
 * Installs something once per content, and returns its folder. The folder gets its final name only when
 * `fill` has completed, so one that exists is complete.
 */
export async function installOnce(
  installation: Installation,
  report: (line: string) => void,
  fill: (folder: string) => Promise<void>,
): Promise<string> {
  const { prefix, content } = installation;
  const key = createHash('sha256').update(content).digest('hex');
  const target = join(toolsDir, `${prefix}${key.slice(0, 12)}`);
  if (existsSync(target)) return target;
  mkdirSync(toolsDir, { recursive: true });
  const lock = await waitForLock(report);
  try {
    if (!existsSync(target)) await install(target, installation, report, fill);
  } finally {
    await lock.release();
  }
  return target;
}

async function waitForLock(report: (line: string) => void): Promise<Lock> {
  for (let attempt = 0; ; attempt += 1) {
    const lock = await tryLock(`tools ${toolsDir}`);
    if (lock !== undefined) return lock;
    if (attempt === 0) report('Waiting for another process that is installing the native tools ...');
    await delay(lockPollMs);
  }
}

/** Under the lock, so any other folder with the prefix is an older version or an incomplete attempt. */
async function install(
  target: string,
  { prefix, what, size }: Installation,
  report: (line: string) => void,
  fill: (folder: string) => Promise<void>,
): Promise<void> {
  const startedMs = Date.now();
  report(`Installing the ${what} into .tools/ (${size}, hashes verified) ...`);
  const isOfThese = new RegExp(`^${prefix}[0-9a-f]{12}`);
  for (const name of readdirSync(toolsDir))
    if (isOfThese.test(name)) rmSync(join(toolsDir, name), { recursive: true, force: true });
  const staging = `${target}.new`;
  await fill(staging);
  renameSync(staging, target);
  report(`Installed the ${what} (${((Date.now() - startedMs) / 1000).toFixed(1)} s).`);
}
