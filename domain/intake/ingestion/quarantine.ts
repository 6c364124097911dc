import type { IngestionBatch } from './ingestion-batches.ts';
import { fileQuarantine } from './quarantine-files.ts';
import type { QuarantineModel } from './quarantine-model.ts';
import { recordQuarantine } from './quarantine-records.ts';

/**
 * The quarantine model of a batch: records of batches are kept as they were sent; rows of files by their
 * location in the file, which is read again.
 */
export function quarantineOf({
  replay_source: source,
}: Pick<IngestionBatch, 'replay_source'>): QuarantineModel {
  return source === 'import' ? fileQuarantine : recordQuarantine;
}
