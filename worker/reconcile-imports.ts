import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { inOrganization } from '../data/postgres/client.ts';
import { startProcess } from '../data/processes/start.ts';
import type { ImportId } from '../domain/file-imports/life.ts';
import { giveUpImport, type ImportRunDeps } from '../domain/file-imports/run.ts';
import { importStart } from '../domain/file-imports/start.ts';
import { findTableImport, type TableImport } from '../domain/file-imports/table-imports.ts';
import { tableImportWorkflowId } from '../workflows/table-import/names.ts';
import { forEachItem } from './reconcile-items.ts';

export interface ImportReconcileDeps extends ImportRunDeps {
  client: Client;
  logger: Logger;
}

const atMost = 100;
/** A younger import's process may not have been started yet. */
const ageSeconds = 60;

/** Who ended a process by force wants its work ended; a process that is gone otherwise is started again. */
const endedByForce = new Set(['TERMINATED', 'CANCELLED']);

/** Sees to imports whose process is no more: they end, or go on from their rows in a new process. */
export async function reviveImports(deps: ImportReconcileDeps, olderThanSeconds = ageSeconds): Promise<void> {
  const { rows } = await sql<{ organization_id: string; id: string }>`
    SELECT organization_id, id FROM active_table_imports(make_interval(secs => ${olderThanSeconds}), ${atMost})
  `.execute(deps.db);
  const ids = rows.map((row) => ({ organizationId: row.organization_id, importId: row.id }));
  await forEachItem(deps, 'reviveImports', ids, (id) => revive(deps, id));
}

async function revive(deps: ImportReconcileDeps, id: ImportId): Promise<void> {
  const { organizationId, importId } = id;
  const status = await statusOf(deps.client, importId);
  if (status === 'RUNNING') return;
  const row = await inOrganization(deps.db, organizationId, (db) =>
    findTableImport(db, organizationId, importId),
  );
  if (row === undefined) return;
  const isGivenUp = endedByForce.has(status) && (await giveUpImport(deps, row));
  if (!isGivenUp) await startAgain(deps.client, row);
  deps.logger.info({ ...id, status }, 'saw to an import whose process was gone');
}

async function statusOf(client: Client, importId: string): Promise<string> {
  try {
    return (await client.workflow.getHandle(tableImportWorkflowId(importId)).describe()).status.name;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'NOT_FOUND';
    throw error;
  }
}

async function startAgain(client: Client, row: TableImport): Promise<void> {
  const start = importStart({
    organizationId: row.organization_id,
    importId: row.id,
    projectId: row.project_id,
    fileId: row.file_id,
    mode: row.mode,
    memo: {},
  });
  const { outcome, cause } = await startProcess(client, start, { again: true });
  if (outcome !== 'started') throw new Error(`The process of ${row.id} could not be started`, { cause });
}
