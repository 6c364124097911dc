import { mkdirSync, rmSync } from 'node:fs';
import { banner } from './banner.ts';
import { readLocalConfig } from './config.ts';
import { hostEnvironment } from './host-environment.ts';
import { type LocalState, removeLocalState, stackLock, writeLocalState } from './local-state.ts';
import { ownerOf, tryLock } from './lock.ts';
import { rotateLog, watchLogs } from './log-file.ts';
import { endNodeOrphans } from './node-part.ts';
import { logFileOf, startStack, stopOrder } from './stack.ts';
import { workDirOf } from './stack-environment.ts';
import { createSupervisor, type Supervisor } from './supervisor.ts';

/** Leaves a second of the promised ten to the parent process. */
const stopTimeoutMs = 8_500;
/**
 * The terminal, npm and the bootstrap may each deliver the same Ctrl-C: signals within this time count as
 * one.
 */
const sameSignalMs = 700;
const parentPollMs = 1_000;

const startedMs = Date.now();
const report = (line: string) => void process.stdout.write(`${line}\n`);
// A closed terminal must not end this process before everything is stopped.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});

async function main(): Promise<void> {
  const config = readLocalConfig(hostEnvironment());
  await takeDataDir(config.dataDir);
  let state: Omit<LocalState, 'pids'> | undefined;
  const save = () => {
    if (state !== undefined) writeLocalState(config.dataDir, { ...state, pids: supervisor.pids() });
  };
  const supervisor = createSupervisor({ report, onChange: save });
  process.on('exit', () => removeLocalState(config.dataDir));
  stopOnSignals(supervisor);
  try {
    state = await Promise.race([startStack({ config, supervisor, report }), supervisor.failed]);
    save();
    report(
      banner(
        { ...state, pids: supervisor.pids() },
        { dataDir: config.dataDir, tookMs: Date.now() - startedMs },
      ),
    );
    await supervisor.failed;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    await supervisor.stop(stopOrder, stopTimeoutMs);
    process.exit(1);
  }
}

/** Ensures that one stack at a time uses a data directory, and removes the state of the previous one. */
async function takeDataDir(dataDir: string): Promise<void> {
  mkdirSync(dataDir, { recursive: true });
  const name = stackLock(dataDir);
  if ((await tryLock(name)) === undefined) {
    throw new Error(
      `${dataDir} is in use by process ${await ownerOf(name)}. Stop it, or set WORKSPACE_DATA_DIR to another directory.`,
    );
  }
  removeLocalState(dataDir);
  await endNodeOrphans(dataDir);
  const logs = stopOrder.flat().map((part) => logFileOf(dataDir, part));
  for (const log of logs) rotateLog(log);
  watchLogs(logs, report);
  rmSync(workDirOf(dataDir), { recursive: true, force: true });
  mkdirSync(workDirOf(dataDir), { recursive: true, mode: 0o700 });
}

/** The first signal stops everything in order; a later one kills at once. */
function stopOnSignals(supervisor: Supervisor): void {
  let firstMs: number | undefined;
  const stop = () => {
    if (firstMs !== undefined) return;
    firstMs = Date.now();
    report('Stopping (press Ctrl-C again to kill everything) ...');
    void supervisor.stop(stopOrder, stopTimeoutMs).then(() => {
      report('Stopped.');
      process.exit(0);
    });
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // Exiting kills what is still running.
      if (firstMs !== undefined && Date.now() - firstMs > sameSignalMs) process.exit(130);
      stop();
    });
  }
  onParentLoss(stop);
}

/**
 * The bootstrap that started this process waits for it; if it was killed with SIGKILL, this is how we notice.
 */
function onParentLoss(stop: () => void): void {
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && stop(), parentPollMs).unref();
}

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
