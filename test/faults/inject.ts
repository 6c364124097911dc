import { accessSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Copies } from './copies.ts';
import type { Journal } from './journal.ts';
import type { Moments } from './moments.ts';
import type { Fault, Target } from './plan.ts';
import { listProcesses, signal, treeOf } from './processes.ts';
import type { StackUnderTest } from './stack-under-test.ts';

export interface Injection {
  stack: StackUnderTest;
  /** Their database is a target too. */
  copies: Pick<Copies, 'database' | 'underWay'>;
  journal: Journal;
  report: (line: string) => void;
  signal: AbortSignal;
  moments: Moments;
}

/** Deaths of a part per minute that the driver allows: the fifth would end the stack. */
const maxDeaths = 3;
const targetTimeoutMs = 20_000;

/** Injects a round's faults in order, and waits until everything paused has been resumed. */
export async function injectFaults(injection: Injection, faults: readonly Fault[]): Promise<void> {
  const pauses: Promise<void>[] = [];
  for (const fault of faults) {
    await sleep(fault.gapMs, injection.signal);
    if (fault.action === 'kill') await withinBudget(injection, fault);
    if (fault.after !== undefined) {
      const { moment, ms, patienceMs } = fault.after;
      await injection.moments.until(moment, patienceMs, injection.signal);
      await sleep(ms, injection.signal);
    }
    if (injection.signal.aborted || injection.stack.hasEnded()) break;
    const pid = await findTarget(injection, fault);
    if (pid === undefined) {
      injection.journal.count('faults', `${fault.target} missed`);
    } else if (fault.action === 'kill') {
      await kill(injection, fault, pid);
    } else {
      pauses.push(pause(injection, fault, pid));
    }
  }
  await Promise.all(pauses);
}

async function withinBudget({ stack, signal: end }: Injection, { target }: Fault): Promise<void> {
  while (isPart(target) && stack.recentDeaths(target) >= maxDeaths && !end.aborted) await sleep(500, end);
}

/** Query and engine processes are children of the API and the worker: their programs distinguish them. */
const programs = { query: 'domain/tables/query/process/main.ts', engine: 'service/engine-process/main.ts' };
// If a program had been moved, it would never be found and never be hit.
for (const program of Object.values(programs)) accessSync(new URL(`../../${program}`, import.meta.url));

function isChild(target: Target): target is keyof typeof programs {
  return target in programs;
}

function isPart(target: Target): target is Exclude<Target, keyof typeof programs | 'source'> {
  return !isChild(target) && target !== 'source';
}

/** The process to hit; waits for one that is just being restarted. */
async function findTarget(injection: Injection, fault: Fault): Promise<number | undefined> {
  const deadlineMs = Date.now() + targetTimeoutMs;
  while (Date.now() < deadlineMs && !injection.signal.aborted) {
    const { target, choice } = fault;
    if (!isChild(target)) {
      const pid = isPart(target) ? injection.stack.pidOf(target) : injection.copies.database.pid();
      if (pid !== undefined) return pid;
    } else {
      const parents = (['api', 'worker'] as const).map((part) => injection.stack.pidOf(part));
      const children = listProcesses().filter(
        ({ parent, args }) => parents.includes(parent) && args.includes(programs[target]),
      );
      if (children.length > 0) return children[choice % children.length]!.pid;
    }
    await sleep(100, injection.signal);
  }
  return undefined;
}

async function kill({ stack, copies, journal, report }: Injection, { target }: Fault, pid: number) {
  const pids = target === 'source' ? treeOf(pid) : [pid];
  const isMidCopy = copies.database.isBeingCopied();
  if (!pids.map((one) => signal(one, 'SIGKILL'))[0]) return journal.count('faults', `${target} missed`);
  journal.count('faults', `${target} killed`);
  if (isMidCopy) journal.count('faults in mid-copy', `${target} killed`);
  if (copies.underWay.size > 0) journal.count('faults in mid-snapshot', `${target} killed`);
  report(`  ${new Date().toISOString()} killed ${target}`);
  if (!isPart(target)) return;
  // Its process id changes once it has been restarted.
  for (let tries = 0; tries < 100 && stack.pidOf(target) === pid; tries += 1) await delay(20);
}

async function pause({ journal, report, signal: end }: Injection, fault: Fault, pid: number) {
  const { target, pauseMs } = fault;
  // PostgreSQL works in child processes; a query process is hit alone, and the API without its children.
  const pids = target === 'postgres' || target === 'source' ? treeOf(pid) : [pid];
  try {
    // Counted first: whatever happens from here on, it is resumed below.
    journal.count('faults', `${target} paused`);
    report(`  ${new Date().toISOString()} paused ${target} for ${pauseMs} ms`);
    for (const one of pids) signal(one, 'SIGSTOP');
    await sleep(pauseMs, end);
  } finally {
    // Only processes that are still stopped are resumed: their ids cannot have been reused.
    const stopped = new Set(listProcesses().flatMap((seen) => (seen.isStopped ? [seen.pid] : [])));
    for (const one of pids) if (stopped.has(one)) signal(one, 'SIGCONT');
  }
}

async function sleep(ms: number, end: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal: end }).catch(() => {});
}
