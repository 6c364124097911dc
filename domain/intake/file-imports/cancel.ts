import { inOrganization } from '../../../data/postgres/client.ts';
import { type CancelDeps, cancelRunById } from '../../workspace/runs/cancel.ts';
import type { ImportId } from './lifecycle.ts';
import { getTableImport, type TableImport } from './table-imports.ts';

/**
 * Requests cancellation of an import. One that has ended keeps its outcome; one that is committing may still
 * succeed.
 */
export async function cancelImport(
  deps: CancelDeps,
  { organizationId, importId }: ImportId,
): Promise<{ row: TableImport; isAsked: boolean }> {
  const isAsked = await cancelRunById(deps, organizationId, importId);
  const row = await inOrganization(deps.db, organizationId, (db) =>
    getTableImport(db, organizationId, importId),
  );
  return { row, isAsked };
}
