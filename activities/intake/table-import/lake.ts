import { ApplicationFailure } from '@temporalio/common';
import { inOrganization } from '../../../data/postgres/client.ts';
import {
  commitImport,
  discardImport,
  giveUpImport,
  recordFinalFailure,
  stageImport,
} from '../../../domain/intake/file-imports/run.ts';
import {
  getTableImport,
  reportProgress,
  type TableImport,
} from '../../../domain/intake/file-imports/table-imports.ts';
import type { StageProgress } from '../../../packages/file-reader/index.ts';
import type {
  TableImportInput,
  TableImportLakeActivities,
} from '../../../workflows/intake/table-import/contract.ts';
import type { ActivityDeps } from '../../deps.ts';
import { beating, committing, withProgress } from '../../heartbeats.ts';
import { outcomeOf } from './control.ts';

export function tableImportLakeActivities(deps: ActivityDeps): TableImportLakeActivities {
  const read = ({ organizationId, importId }: TableImportInput) =>
    inOrganization(deps.db, organizationId, (db) => getTableImport(db, organizationId, importId));
  const keepProgress =
    ({ organizationId, importId }: TableImportInput) =>
    (latest: StageProgress) =>
      inOrganization(deps.db, organizationId, (db) => reportProgress(db, organizationId, importId, latest));

  return {
    /**
     * Safe to retry: staging begins by removing what an earlier attempt left, and nothing refers to staged
     * files yet.
     */
    async stageTableImport(input) {
      const row = await read(input);
      const { table, quarantine } = await withProgress(
        deps.logger,
        { fraction: 0, bytesRead: 0, rows: 0 },
        keepProgress(input),
        (progress: (progress: StageProgress) => void, signal) => stageImport(deps, row, progress, signal),
      ).catch((error: unknown) => failIfFinal(row, error));
      return { rows: table.rows, quarantinedRows: quarantine?.rows ?? 0 };
    },

    /**
     * Safe to retry: the ledger is checked for the commit's operation first, and every later step is a
     * compare-and-set.
     */
    commitTableImport: committing(
      async (input: TableImportInput) => {
        const row = await read(input);
        if (row.status !== 'running') return outcomeOf(row);
        await commitImport(deps, row).catch((error: unknown) => failIfFinal(row, error));
        return outcomeOf(await read(input));
      },
      async (input) => giveUpImport(deps, await read(input), 'failed'),
    ),

    /** Safe to retry: removes by prefix, and only what was not committed. */
    discardStagedImport: beating(async (input: TableImportInput) => discardImport(deps, await read(input))),
  };

  /** An unreadable file is recorded in the import's row and not retried; all other errors are. */
  async function failIfFinal(row: TableImport, error: unknown): Promise<never> {
    const failure = await recordFinalFailure(deps.db, row, error);
    if (failure === undefined) throw error;
    throw ApplicationFailure.create({ type: 'BadFile', message: failure.code, nonRetryable: true });
  }
}
