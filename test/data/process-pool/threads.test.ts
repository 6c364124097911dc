import { expect, test } from 'vitest';
import { createThreads } from '../../../data/process-pool/threads.ts';
import { expectEventually } from '../../support/eventually.ts';
import { grow } from './growing.ts';

test('a thread that runs out of memory after its task harms nobody, and the next task gets another', async () => {
  const threads = createThreads<number, number>({
    filename: new URL('./growing.ts', import.meta.url).href,
    name: grow.name,
    // Otherwise an idle thread runs no timers.
    atomics: 'disabled',
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 60_000,
    resourceLimits: { maxOldGenerationSizeMb: 32 },
  });
  try {
    expect(await threads.run(1)).toBe(1);
    const [thread] = threads.threads;
    // Nothing listens to the pool's events here: an emitted error would fail this file.
    await expectEventually(() => threads.threads.includes(thread!)).toBe(false);
    expect(await threads.run(2)).toBe(2);
  } finally {
    await threads.close({ force: true });
  }
});

test('an error of another kind that no task is told of ends the process', () => {
  const threads = createThreads<number, number>({ minThreads: 0 });
  expect(() => threads.emit('error', new Error('No thread can be started.'))).toThrow(/No thread/);
});
