import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { useTimeSkipping } from '../support/conversation-process.ts';
import { enoughExecutions, lived, lives, maxEvents } from './lives.ts';

const skipping = useTimeSkipping();
const index = readFileSync(new URL('../../workflows/index.ts', import.meta.url), 'utf8');

test('every process has a longest life', () => {
  const types = [...index.matchAll(/export \{ (\w+) \}/g)].map(([, type]) => type);
  expect(types.length).toBeGreaterThan(10);
  expect(Object.keys(lives).sort()).toEqual(types.sort());
});

/** Those that live through it in few steps; all others are in the long ring. */
const quick = ['agentRun', 'ingestionBatch', 'lakeMaintenance', 'tableImport'];

test.each(quick)('a history of %s stays short, however long it lives', { retry: 1 }, async (type) => {
  const life = await lives[type]!(() => skipping.env.currentTimeMs());
  const { events, tookMs } = await lived(skipping, type, life);
  if (events.length < enoughExecutions) expect(tookMs).toBeGreaterThanOrEqual(life.leastMs);
  expect(Math.max(...events), `${events.length} executions`).toBeLessThan(maxEvents);
});
