import { expect, test } from 'vitest';
import { useTimeSkipping } from '../support/conversation-process.ts';
import { enoughExecutions, lived, maxEvents } from './lives.ts';
import { processes } from './processes.ts';

const skipping = useTimeSkipping();

test.each(Object.values(processes))(
  'a history of $type stays short, however long it lives',
  { timeout: 480_000, retry: 1 },
  async (process) => {
    const life = await process.life(() => skipping.env.currentTimeMs());
    const { events, tookMs } = await lived(skipping, process.type, life);
    if (events.length < enoughExecutions) expect(tookMs).toBeGreaterThanOrEqual(life.leastMs);
    expect(Math.max(...events), `${events.length} executions`).toBeLessThan(maxEvents);
  },
);
