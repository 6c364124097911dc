import { setCurrentDetails } from '@temporalio/workflow';
import { commitActivities, databaseActivities, longLakeActivities } from '../../activity-options.ts';
import { always } from '../../cancellation.ts';
import { endAs, endAsCancelled } from '../../outcome.ts';
import { commitOrDiscard, discardAndEnd } from '../staged.ts';
import type {
  TableImportControlActivities,
  TableImportInput,
  TableImportLakeActivities,
  TableImportOutcome,
} from './contract.ts';

const control = databaseActivities<TableImportControlActivities>();

// A gigabyte takes minutes. Twenty attempts cover an hour of an unavailable store; a broken file is not
// retried.
const { stageTableImport } =
  longLakeActivities<Pick<TableImportLakeActivities, 'stageTableImport'>>('2 hours');

const commit =
  commitActivities<Pick<TableImportLakeActivities, 'commitTableImport' | 'discardStagedImport'>>();

/**
 * Imports a file into a table: staged as Parquet beside the lake, then committed as a whole or not at all.
 */
export async function tableImport(input: TableImportInput): Promise<TableImportOutcome> {
  const outcome = await run(input);
  const { status, rows, quarantinedRows, errorCode } = outcome;
  endAs(status, errorCode, {
    what: 'The import',
    succeeded: `Imported ${rows} rows and quarantined ${quarantinedRows} that did not fit.`,
    cancelled: 'Was cancelled. Removed the staged data.',
    failed: 'The staged data is removed.',
  });
  return outcome;
}

async function run(input: TableImportInput): Promise<TableImportOutcome> {
  const discard = () => commit.discardStagedImport(input);
  try {
    setCurrentDetails('Waiting for its turn.');
    if (!(await always(() => control.beginTableImport(input))))
      return await always(() => control.endTableImport(input, 'cancelled'));
    setCurrentDetails("Reading the file and staging Parquet. The activity's heartbeat has the progress.");
    const staged = await stageTableImport(input);
    endAsCancelled('The import');
    setCurrentDetails(`Committing ${staged.rows} rows.`);
    return await commitOrDiscard(() => commit.commitTableImport(input), discard);
  } catch (error) {
    return await discardAndEnd(error, discard, (status) => control.endTableImport(input, status));
  }
}
