import type { Lake } from '../../../data/lake/provision.ts';
import { type AppendableTable, findAppendable } from './appendable.ts';
import type { TableDeps } from './deps.ts';
import { resolveRename } from './rename.ts';

/**
 * A table that takes rows, its keys by the names that the lake has: a rename that a crash left between the two
 * is settled first. The caller holds the table's lock.
 */
export async function findSettled(
  deps: TableDeps,
  lake: Lake,
  { organizationId, tableId }: { organizationId: string; tableId: string },
): Promise<AppendableTable> {
  const found = await findAppendable(deps.lake, lake, organizationId, tableId);
  if (!found.isBeingRenamed) return found;
  await resolveRename(deps, organizationId, tableId);
  return findAppendable(deps.lake, lake, organizationId, tableId);
}
