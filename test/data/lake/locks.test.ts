import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { refuseLostLocks } from '../../../data/lake/locks.ts';
import { useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();

/** Ends the session that holds the table's lock, as a failover does. */
async function endHolder(table: string): Promise<void> {
  await workspace.deps.lake.catalogPool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_locks
     WHERE locktype = 'advisory' AND granted
       AND (classid::bigint << 32 | objid::bigint) = hashtextextended($1, 0)`,
    [`table:${table}`],
  );
}

test('a lock whose session ended refuses the commit, harms nobody else, and is free again', async () => {
  const { locks } = workspace.deps.lake;
  const worked = await locks.hold('tbl_lost', async () => {
    expect(refuseLostLocks).not.toThrow();
    await locks.hold('tbl_inner', async () => {
      await endHolder('tbl_lost');
      await setTimeout(200);
      expect(refuseLostLocks).toThrow(/lock/);
    });
    await locks.hold('tbl_other', async () => expect(refuseLostLocks).toThrow(/lock/));
    return 'done';
  });
  expect(worked).toBe('done');
  expect(refuseLostLocks).not.toThrow();
  await locks.hold('tbl_lost', async () => expect(refuseLostLocks).not.toThrow());
});
