import { inOrganization } from '../../data/postgres/client.ts';
import type { ProcessDeps } from '../../data/processes/starter.ts';
import { cancelTableImportSignal, tableImportWorkflowId } from '../../workflows/table-import/names.ts';
import type { ImportId } from './life.ts';
import { getTableImport, requestCancel, type TableImport } from './table-imports.ts';

/** Asks an import to end. One that ended stays as it ended; one that is committing may still succeed. */
export async function cancelImport(
  { db, processes }: ProcessDeps,
  { organizationId, importId }: ImportId,
): Promise<{ row: TableImport; isAsked: boolean }> {
  const read = () =>
    inOrganization(db, organizationId, (transaction) =>
      getTableImport(transaction, organizationId, importId),
    );
  const before = await read();
  if (before.finished_at !== null) return { row: before, isAsked: false };
  await inOrganization(db, organizationId, (transaction) =>
    requestCancel(transaction, organizationId, importId),
  );
  await processes.signal(tableImportWorkflowId(importId), cancelTableImportSignal);
  return { row: await read(), isAsked: true };
}
