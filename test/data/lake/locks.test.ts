import { expect, test } from 'vitest';
import { refuseLostLocks } from '../../../data/lake/locks.ts';
import { expectEventually } from '../../support/eventually.ts';
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

function isLost(): boolean {
  try {
    refuseLostLocks();
    return false;
  } catch {
    return true;
  }
}

test('a lock whose session ended refuses the commit, harms nobody else, and is free again', async () => {
  const { locks } = workspace.deps.lake;
  const worked = await locks.hold('tbl_lost', async () => {
    expect(refuseLostLocks).not.toThrow();
    await locks.hold('tbl_inner', async () => {
      await endHolder('tbl_lost');
      await expectEventually(isLost).toBe(true);
      expect(refuseLostLocks).toThrow(/lock/);
    });
    await locks.hold('tbl_other', async () => expect(refuseLostLocks).toThrow(/lock/));
    return 'done';
  });
  expect(worked).toBe('done');
  expect(refuseLostLocks).not.toThrow();
  await locks.hold('tbl_lost', async () => expect(refuseLostLocks).not.toThrow());
});
