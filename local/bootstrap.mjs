/**
 * The first step of `npm start`, `npm test` and the other commands: the machine's own Node (>= 20) installs
 * the locked dependencies if they changed, then hands over to the Node in node_modules, which runs
 * TypeScript. All messages of this program go to stderr, so that stdout belongs to the command.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { constants, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(root, 'node_modules');
const lockFile = join(root, 'package-lock.json');
const stampFile = join(modules, '.install-stamp');
const node = join(modules, '.bin', 'node');
const vitest = ['node_modules/vitest/vitest.mjs', 'run'];
const reporters = ['--reporter=default', '--reporter=./test/support/closing-line-reporter.ts'];

/** What each command runs, in order, on the Node in node_modules. */
const commands = {
  start: (args) => [['local/start.ts', ...args]],
  test: (args) => [['local/tools.ts'], [...vitest, ...reporters, ...args]],
  'test-long': (args) => [
    ['local/tools.ts'],
    [...vitest, '--config=vitest.long.config.ts', ...reporters, ...args],
  ],
  check: () => [
    ['node_modules/@biomejs/biome/bin/biome', 'ci', '.'],
    ['node_modules/typescript/bin/tsc', '--noEmit'],
    ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'console'],
    ['local/check-patterns.ts'],
    ['local/check-structure.ts'],
    ['local/check-migrations.ts'],
    ['local/check-tests.ts'],
    ['local/check-words.ts'],
    ['local/workflow-index.ts', '--check'],
  ],
  faults: (args) => [['local/tools.ts'], ['test/faults/main.ts', ...args]],
  attacks: (args) => [['local/tools.ts'], ['test/attacks/main.ts', ...args]],
  'fuzz-contract': (args) => [['local/tools.ts'], ['test/contract-fuzz/main.ts', ...args]],
  organizations: (args) => [['local/organizations.ts', ...args]],
  keys: (args) => [['local/keys.ts', ...args]],
  backup: (args) => [['local/backup.ts', ...args]],
  restore: (args) => [['local/restore.ts', ...args]],
  verify: (args) => [['local/verify.ts', ...args]],
  relocate: (args) => [['local/relocate.ts', ...args]],
  automation: (args) => [['local/automation.ts', ...args]],
  doctor: () => [['local/doctor.ts']],
  extensions: () => [['local/extensions.ts']],
  'workflow-index': () => [['local/workflow-index.ts']],
  'migrate-from-zero': () => [['local/migrate-from-zero.ts']],
  'build-console': () => [['local/console.ts']],
  install: () => [],
};

/** Commands of operators, for which an installation without the development packages is complete. */
const ofOperators = [
  'organizations',
  'keys',
  'doctor',
  'extensions',
  'backup',
  'restore',
  'verify',
  'relocate',
  'automation',
];

const hashOfLock = () => createHash('sha256').update(readFileSync(lockFile)).digest('hex');

/** True if node_modules matches the lock file, by our stamp or by npm's own record of the installed tree. */
function isInstalled() {
  if (!existsSync(node)) return false;
  const hash = hashOfLock();
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === hash) return true;
  if (!holdsLockedTree({ withDevelopment: true }))
    return ofOperators.includes(name) && holdsLockedTree({ withDevelopment: false });
  writeFileSync(stampFile, hash);
  return true;
}

/** Compares npm's record of what it installed with the lock file, so that a manual `npm install` counts. */
function holdsLockedTree({ withDevelopment }) {
  const recordFile = join(modules, '.package-lock.json');
  if (!existsSync(recordFile)) return false;
  const installed = JSON.parse(readFileSync(recordFile, 'utf8')).packages;
  const locked = JSON.parse(readFileSync(lockFile, 'utf8')).packages;
  const complete = Object.entries(locked).every(
    ([path, entry]) =>
      path === '' ||
      entry.optional ||
      (entry.dev && !withDevelopment) ||
      installed[path]?.version === entry.version,
  );
  return (
    complete && Object.entries(installed).every(([path, entry]) => locked[path]?.version === entry.version)
  );
}

/**
 * Holds a socket that only one process can listen on, so that concurrent commands on one clone install one
 * after the other.
 */
async function holdInstallLock() {
  const name = `workspace-install-${createHash('sha256').update(root).digest('hex').slice(0, 16)}`;
  const address = process.platform === 'linux' ? `\0${name}` : join(tmpdir(), `${name}.sock`);
  for (let attempt = 0; attempt < 6000; attempt += 1) {
    const server = createServer();
    const held = await new Promise((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(address, () => resolve(true));
    });
    if (held) return server;
    await delay(100);
  }
  throw new Error(`Another installation has held ${address} for ten minutes. End it and try again.`);
}

/** Runs a program to its end and forwards signals; its stdout goes to ours or to stderr. */
function run(program, args, { stdout, env = process.env }) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: root, env, stdio: ['inherit', stdout, 'inherit'] });
    let isEnding = false;
    const forward = (signal) => {
      isEnding = true;
      child.kill(signal);
    };
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    for (const signal of signals) process.on(signal, forward);
    const watch = onParentLoss(() => isEnding || forward('SIGTERM'));
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      for (const name of signals) process.off(name, forward);
      clearInterval(watch);
      resolve(code ?? 128 + (constants.signals[signal] ?? 0));
    });
  });
}

/** Under npm this process is npm's child: if npm is killed with SIGKILL, this is the only way to notice. */
function onParentLoss(end) {
  const parent = process.ppid;
  if (process.env.npm_lifecycle_event === undefined) return undefined;
  return setInterval(() => process.ppid !== parent && end(), 1000).unref();
}

async function install() {
  if (isInstalled()) return;
  const lock = await holdInstallLock();
  if (!isInstalled()) {
    process.stderr.write('Installing the locked dependencies (npm ci, a minute or less) ...\n');
    // npm must not run on the Node binary that it is about to replace.
    const path = (process.env.PATH ?? '').split(delimiter).filter((entry) => entry !== join(modules, '.bin'));
    const env = { ...process.env, PATH: path.join(delimiter) };
    const code = await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { stdout: 2, env });
    if (code !== 0) process.exit(code);
    if (!existsSync(node)) {
      throw new Error('npm installed no Node 24: its install script was not run (is ignore-scripts set?).');
    }
    writeFileSync(stampFile, hashOfLock());
  }
  lock.close();
}

const [name = '', ...args] = process.argv.slice(2);
if (!Object.hasOwn(commands, name)) {
  process.stderr.write(
    `Unknown command ${JSON.stringify(name)}. Use one of ${Object.keys(commands).join(', ')}.\n`,
  );
  process.exit(2);
}
try {
  await install();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
}
// Node's compile cache, which makes later processes of this clone start sooner, and the rules of time zones.
const env = {
  NODE_COMPILE_CACHE: join(modules, '.compile-cache'),
  ICU_TIMEZONE_FILES_DIR: join(root, 'data', 'zone-rules'),
  ...process.env,
};
for (const step of commands[name](args)) {
  const code = await run(node, step, { stdout: 'inherit', env });
  if (code !== 0) process.exit(code);
}
