import type { EngineConnection } from '../../../data/lake/engine/contract.ts';
import { identifier } from '../../../data/lake/sql.ts';
import type { StagedFile } from '../../../packages/file-reader/index.ts';
import {
  ambiguousKey,
  ambiguousKeys,
  duplicateRowKey,
  keysRepeatedIn,
  repeatedKeys,
} from '../../tables/tables/repeated-keys.ts';
import { filesSource } from './merge.ts';
import type { IncomingRows } from './page-files.ts';

/**
 * Rejects records that repeat an enforced key: of the table's rows if records are added, or of each other if
 * they replace the content.
 *
 * @throws AppError duplicate_row_key
 */
export async function refuseRepeatedKeys(
  connection: EngineConnection,
  {
    table,
    files,
    keys,
    isSwap,
  }: { table: string; files: readonly StagedFile[]; keys: readonly string[]; isSwap: boolean },
): Promise<void> {
  if (keys.length === 0 || files.length === 0) return;
  const rows = filesSource(files);
  const repeated = isSwap
    ? await keysRepeatedIn(connection, rows, keys)
    : await repeatedKeys(connection, { table: identifier(table), rows, keys });
  if (repeated.length > 0) throw duplicateRowKey(repeated);
}

/** The same for an upsert by another key, after it is written. */
export async function refuseAmbiguousKeys(
  connection: EngineConnection,
  { table, incoming, keys }: { table: string; incoming: IncomingRows; keys: readonly string[] },
): Promise<void> {
  if (keys.length === 0) return;
  const ambiguous = await ambiguousKeys(connection, { table: identifier(table), rows: incoming.table, keys });
  if (ambiguous.length > 0) throw ambiguousKey(ambiguous);
}
