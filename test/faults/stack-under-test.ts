import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { repositoryDir } from '../../local/config.ts';
import { hostEnvironment, programEnvironment } from '../../local/host-environment.ts';
import { type LocalState, readLocalState } from '../../local/local-state.ts';
import type { PartName } from '../../local/part.ts';
import type { Journal } from './journal.ts';
import { listProcesses, signal, treeOf } from './processes.ts';

export const parts: readonly PartName[] = ['api', 'worker', 'temporal', 's3', 'postgres'];

/** A local stack of its own, supervised by the same program as `npm start`. */
export interface StackUnderTest {
  state: LocalState;
  dataDir: string;
  supervisorPid: number;
  /** The part's process, if it is up and certainly the supervisor's own. */
  pidOf(part: PartName): number | undefined;
  /** Deaths of the part within the last minute, whatever their cause. */
  recentDeaths(part: PartName): number;
  hasEnded(): boolean;
  isUp(): Promise<boolean>;
  stop(keep: boolean): Promise<void>;
}

const startTimeoutMs = 400_000;
const stopTimeoutMs = 15_000;
const deathWindowMs = 60_000;

export interface StackOptions {
  journal: Journal;
  report: (line: string) => void;
  /** Called whenever a part has died, whatever the cause. */
  onDeath?: (part: string) => void;
  /** Additional environment variables of API and worker. */
  environment?: Readonly<Record<string, string>>;
}

export async function startStackUnderTest(options: StackOptions): Promise<StackUnderTest> {
  const { journal, report, onDeath } = options;
  const dataDir = await mkdtemp(join(tmpdir(), 'workspace-faults-'));
  // In its own process group: a Ctrl-C reaches only the driver, which then stops the stack in order.
  const child = spawn(process.execPath, [join(repositoryDir, 'local', 'start.ts')], {
    cwd: repositoryDir,
    env: environmentOf(dataDir, options.environment),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const deaths: { part: string; atMs: number }[] = [];
  const lines: string[] = [];
  const onLine = (line: string) => {
    lines.push(line);
    const death = /^(\w+) ended \((.*)\): restarting it\.$/.exec(line);
    if (death !== null) {
      deaths.push({ part: death[1]!, atMs: Date.now() });
      journal.count('deaths of parts', `${death[1]} by ${death[2]}`);
      onDeath?.(death[1]!);
    }
    if (/ ended \(| is running again after |ended five times/.test(line)) report(`  stack: ${line}`);
  };
  for (const stream of [child.stdout, child.stderr]) readLines(stream, onLine);
  const stop = (keep: boolean) => stopStack(child, dataDir, keep);
  try {
    const state = await untilStarted(child, dataDir, lines);
    const supervisorPid = child.pid!;
    return {
      state,
      dataDir,
      supervisorPid,
      pidOf: (part) => pidOf(dataDir, supervisorPid, part),
      recentDeaths: (part) =>
        deaths.filter((death) => death.part === part && Date.now() - death.atMs < deathWindowMs).length,
      hasEnded: () => child.exitCode !== null || child.signalCode !== null,
      isUp: () => isUp(state.apiUrl, dataDir, supervisorPid),
      stop,
    };
  } catch (error) {
    await stop(false);
    throw error;
  }
}

/** Everything local and on free ports, regardless of stores in the driver's own environment. */
function environmentOf(dataDir: string, given: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const kept = [
    'HOME',
    'TMPDIR',
    'NODE_COMPILE_CACHE',
    'TEMPORAL_BIN',
    'WEED_BIN',
    'TEMPORAL_TEST_SERVER_BIN',
    'DUCKDB_EXTENSION_DIR',
  ];
  const own = Object.entries(hostEnvironment()).filter(([name]) => kept.includes(name));
  return {
    ...programEnvironment(),
    ...Object.fromEntries(own),
    WORKSPACE_DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'info',
    ...given,
  };
}

function readLines(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const pieces = (rest + chunk).split('\n');
    rest = pieces.pop() ?? '';
    for (const line of pieces) onLine(line);
  });
}

async function untilStarted(
  child: ChildProcess,
  dataDir: string,
  lines: readonly string[],
): Promise<LocalState> {
  const deadlineMs = Date.now() + startTimeoutMs;
  while (Date.now() < deadlineMs && child.exitCode === null) {
    const state = readLocalState(dataDir);
    if (state !== undefined && (await isUp(state.apiUrl, dataDir, child.pid!))) return state;
    await delay(200);
  }
  throw new Error(`The stack did not start.\n${lines.slice(-20).join('\n')}`);
}

/** A process id read from a file is trusted only if its parent is the supervisor. */
function pidOf(dataDir: string, supervisorPid: number, part: PartName): number | undefined {
  const pid = readLocalState(dataDir)?.pids[part];
  const isOurs = listProcesses().some((seen) => seen.pid === pid && seen.parent === supervisorPid);
  return isOurs ? pid : undefined;
}

async function isUp(apiUrl: string, dataDir: string, supervisorPid: number): Promise<boolean> {
  const pids = Object.values(readLocalState(dataDir)?.pids ?? {});
  const running = listProcesses().filter((seen) => seen.parent === supervisorPid && pids.includes(seen.pid));
  if (running.length < parts.length || running.some(({ isStopped }) => isStopped)) return false;
  try {
    const [health, ready] = await Promise.all([get(`${apiUrl}/healthz`), get(`${apiUrl}/readyz`)]);
    return health.isOk && ready.body.status === 'ready';
  } catch {
    return false;
  }
}

async function get(url: string): Promise<{ isOk: boolean; body: { status?: string } }> {
  const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
  return { isOk: response.ok, body: (await response.json()) as { status?: string } };
}

/**
 * In order if that succeeds in time; otherwise by killing it. No process stays, and the folder is removed.
 */
async function stopStack(child: ChildProcess, dataDir: string, keep: boolean): Promise<void> {
  const pid = child.pid;
  if (pid !== undefined && child.exitCode === null && child.signalCode === null) {
    const tree = treeOf(pid);
    // A paused process does not handle a signal to end.
    for (const one of tree) signal(one, 'SIGCONT');
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await Promise.race([ended, delay(stopTimeoutMs, undefined, { ref: false })]);
    if (child.exitCode === null && child.signalCode === null) {
      for (const one of treeOf(pid)) signal(one, 'SIGKILL');
      await ended;
    }
  }
  if (!keep) await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
