import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('..', import.meta.url));
const vite = join(root, 'node_modules/vite/bin/vite.js');
const built = join(root, 'console/dist');
const stamp = join(built, '.sources');
const longestBuildMs = 300_000;
const sources = [
  'console/*.{html,ts,json}',
  'console/src/**/*',
  'clients/typescript/src/**/*.ts',
  'package-lock.json',
];

/** Builds the console if its sources changed since it was built; whether it did. What is there stays until then. */
export async function buildConsole(): Promise<boolean> {
  const hash = hashOfSources();
  const isBuilt = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === hash;
  if (isBuilt()) return false;
  const unlock = await lock();
  try {
    if (isBuilt()) return false;
    await build(hash);
    return true;
  } finally {
    unlock();
  }
}

/** Several programs may want to build at once; one does. A lock that is older than any build is of a dead one. */
async function lock(): Promise<() => void> {
  const folder = join(root, 'console/.building');
  for (;;) {
    try {
      mkdirSync(folder);
      return () => rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const since = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - since > longestBuildMs) rmSync(folder, { recursive: true, force: true });
    else await wait(100);
  }
}

async function build(hash: string): Promise<void> {
  const fresh = join(root, `console/.dist-${process.pid}`);
  try {
    await run([vite, 'build', 'console', '--outDir', fresh, '--emptyOutDir', '--logLevel', 'warn']);
    compress(fresh);
    writeFileSync(join(fresh, '.sources'), hash);
    rmSync(built, { recursive: true, force: true });
    renameSync(fresh, built);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

function hashOfSources(): string {
  const hash = createHash('sha256');
  const files = globSync(sources, { cwd: root, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const path of files.map(({ parentPath, name }) => join(parentPath, name)).sort())
    hash.update(path.slice(root.length)).update('\0').update(readFileSync(path));
  return hash.digest('hex');
}

/** Beside each file its compressed forms, which browsers take instead. */
function compress(folder: string): void {
  for (const path of globSync('**/*.{js,css,html}', { cwd: folder }).map((name) => join(folder, name))) {
    const content = readFileSync(path);
    writeFileSync(
      `${path}.br`,
      brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    );
    writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
  }
}

/** A program of its own: building keeps a core busy. */
function run(args: readonly string[]): Promise<void> {
  // Whatever this program runs for, the build is the one that people use.
  const env = { ...process.env, NODE_ENV: 'production' };
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = `${output}${text}`.slice(-4_000);
    });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(output.trim() || `vite: ${code}`)),
    );
  });
}

if (import.meta.main)
  process.stdout.write((await buildConsole()) ? 'Built the console.\n' : "The console hasn't changed.\n");
