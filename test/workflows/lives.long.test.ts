import { expect, test } from 'vitest';
import { useTimeSkipping } from '../support/conversation-process.ts';
import { enoughExecutions, lived, lives, maxEvents } from './lives.ts';

const skipping = useTimeSkipping();

test.each(Object.keys(lives))(
  'a history of %s stays short, however long it lives',
  { timeout: 480_000, retry: 1 },
  async (type) => {
    const life = await lives[type]!(() => skipping.env.currentTimeMs());
    const { events, tookMs } = await lived(skipping, type, life);
    if (events.length < enoughExecutions) expect(tookMs).toBeGreaterThanOrEqual(life.leastMs);
    expect(Math.max(...events), `${events.length} executions`).toBeLessThan(maxEvents);
  },
);
