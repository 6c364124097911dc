import { expect, test } from 'vitest';
import { useTimeSkipping } from '../support/conversation-process.ts';
import { enoughExecutions, lived, maxEvents } from './lives.ts';
import { processes, workflowTypes } from './processes.ts';

const skipping = useTimeSkipping();

test('every process has a longest life', () => {
  expect(workflowTypes.length).toBeGreaterThan(10);
  expect(Object.keys(processes).sort()).toEqual(workflowTypes.toSorted());
});

/** Those that live through it in few steps; all others are in the long ring. */
const quick = Object.values(processes).filter(({ isQuick }) => isQuick === true);

test.each(quick)('a history of $type stays short, however long it lives', { retry: 1 }, async (process) => {
  const life = await process.life(() => skipping.env.currentTimeMs());
  const { events, tookMs } = await lived(skipping, process.type, life);
  if (events.length < enoughExecutions) expect(tookMs).toBeGreaterThanOrEqual(life.leastMs);
  expect(Math.max(...events), `${events.length} executions`).toBeLessThan(maxEvents);
});
