import type { LakeDeps } from '../../../data/lake/commit.ts';
import type { Lake } from '../../../data/lake/provision.ts';
import { type Flushed, flushHeld } from '../tables/flush.ts';
import { type MaintainedTable, withTableLock } from './tables.ts';

/** Flushes one table under its lock; undefined where there was nothing to move. */
export function flushTable(deps: LakeDeps, lake: Lake, table: MaintainedTable): Promise<Flushed | undefined> {
  return withTableLock(deps, lake, table, (physical) => flushHeld(deps, lake, physical));
}
