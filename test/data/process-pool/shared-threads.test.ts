import { Piscina } from 'piscina';
import { afterAll, expect, test } from 'vitest';
import {
  createSharedThreads,
  forgiveLateGrowth,
  sharedThreadCount,
  ThreadLimit,
} from '../../../data/process-pool/shared-threads.ts';
import { eventually, expectEventually } from '../../support/eventually.ts';
import { grow, type spin, started } from './tasks.ts';

const filename = new URL('./tasks.ts', import.meta.url).href;
const closers: (() => Promise<unknown> | undefined)[] = [];
afterAll(async () => {
  for (const close of closers) await close();
});

function spinning(options: { timeoutMs?: number; perOrganization?: number } = {}) {
  const name: (typeof spin)['name'] = 'spin';
  const threads = createSharedThreads<Parameters<typeof spin>[0], string>({ filename, name, ...options });
  closers.push(threads.close);
  return threads;
}

/** A task that ends when it is told to, and the counter by which it says that it began. */
function endless() {
  const shared = new Int32Array(new SharedArrayBuffer(8));
  return { shared, hasBegun: () => Atomics.load(shared, started) === 1 };
}

test('one organization never holds the last thread, whatever it asks for', async () => {
  const threads = spinning();
  const greedy = Array.from({ length: sharedThreadCount + 2 }, endless);
  const stop = new AbortController();
  const all = greedy.map(({ shared }) => threads.run('greedy', shared, { signal: stop.signal }));
  const ended = Promise.allSettled(all);
  await expectEventually(() => greedy.filter((task) => task.hasBegun()).length).toBe(sharedThreadCount - 1);
  const short = new Int32Array(new SharedArrayBuffer(8)).fill(1);
  expect(await threads.run('modest', short)).toBe('done');
  expect(greedy.filter((task) => task.hasBegun())).toHaveLength(sharedThreadCount - 1);
  stop.abort();
  const reasons = (await ended).map((each) => each.status === 'rejected' && each.reason.name);
  expect(new Set(reasons)).toEqual(new Set(['AbortError']));
  // Their threads ended with them.
  expect(await threads.run('greedy', short)).toBe('done');
});

test('work that is aborted while it waits is never begun', async () => {
  const threads = spinning();
  const first = Array.from({ length: sharedThreadCount - 1 }, endless);
  const stopFirst = new AbortController();
  const running = first.map(({ shared }) => threads.run('a', shared, { signal: stopFirst.signal }));
  const settled = Promise.allSettled(running);
  await eventually(
    () => first.every((task) => task.hasBegun()),
    (isSo) => isSo,
  );
  const late = endless();
  const stopLate = new AbortController();
  const waiting = threads.run('a', late.shared, { signal: stopLate.signal });
  stopLate.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  stopFirst.abort();
  await settled;
  expect(late.hasBegun()).toBe(false);
});

test('a task that takes too long ends with its thread', async () => {
  const threads = spinning({ timeoutMs: 300 });
  const error = await threads.run('a', endless().shared).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(ThreadLimit);
  expect((error as ThreadLimit).limit).toBe('time');
});

test('more than an organization may have waiting is refused at once', async () => {
  const threads = spinning({ perOrganization: 2 });
  const stop = new AbortController();
  const held = Promise.allSettled(
    [endless(), endless()].map(({ shared }) => threads.run('a', shared, { signal: stop.signal })),
  );
  await expect(threads.run('a', endless().shared)).rejects.toMatchObject({ code: 'queries_saturated' });
  stop.abort();
  await held;
});

test('a thread that runs out of memory after its task harms nobody, and the next task gets another', async () => {
  const threads = new Piscina<number, number>({
    filename,
    name: grow.name,
    // Otherwise an idle thread runs no timers.
    atomics: 'disabled',
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 60_000,
    resourceLimits: { maxOldGenerationSizeMb: 32 },
  });
  forgiveLateGrowth(threads);
  closers.push(() => threads.close({ force: true }));
  expect(await threads.run(1)).toBe(1);
  const [thread] = threads.threads;
  // Nothing else listens to the pool's events here: an error that is thrown on would fail this file.
  await expectEventually(() => threads.threads.includes(thread!)).toBe(false);
  expect(await threads.run(2)).toBe(2);
});

test('an error of another kind that no task is told of ends the process', () => {
  const threads = new Piscina<number, number>({ filename, minThreads: 0 });
  forgiveLateGrowth(threads);
  expect(() => threads.emit('error', new Error('No thread can be started.'))).toThrow(/No thread/);
});
