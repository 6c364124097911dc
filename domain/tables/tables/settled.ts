import type { Lake } from '../../../data/lake/provision.ts';
import { type AppendableTable, findAppendable } from './appendable.ts';
import type { TableDeps } from './deps.ts';
import type { TableAccess } from './grants.ts';
import { resolveRename } from './rename.ts';

/**
 * An appendable table with its keys named as in the lake: a rename that a crash left pending is settled
 * first. The caller holds the table's lock.
 */
export async function findSettled(
  deps: TableDeps,
  lake: Lake,
  { organizationId, tableId }: { organizationId: string; tableId: string },
  admit?: (access: TableAccess) => void,
): Promise<AppendableTable> {
  const found = await findAppendable(deps.lake, lake, organizationId, tableId, admit);
  if (!found.isBeingRenamed) return found;
  await resolveRename(deps, organizationId, tableId);
  return findAppendable(deps.lake, lake, organizationId, tableId, admit);
}
