import { createHash } from 'node:crypto';
import { configOf } from '../data-connections/change.ts';
import type { DataConnection } from '../data-connections/data-connections.ts';
import type { Copied } from './copy/copier.ts';
import type { CopiedIncrement, Increment } from './copy/increment.ts';
import type { Dataset } from './datasets.ts';
import type { Replica } from './replicate.ts';
import { replicatedOf } from './replicated.ts';
import type { SnapshotRun } from './snapshot-runs.ts';

/** Interval of full copies, which pick up what a cursor does not show, above all deleted rows. */
export const wholeEveryHours = 24;

/** What the next snapshot of an incremental dataset of a database copies. */
export interface PlannedIncrement extends Increment {
  fingerprint: string;
  /** Time of the last full copy; undefined if this one is full. */
  wholeAt: string | undefined;
  /** The source's columns at the previous snapshot, whatever its settings were; undefined if not known. */
  previousColumns: readonly string[] | undefined;
}

export function planIncrement(
  connection: DataConnection,
  dataset: Dataset,
  { table_id: tableId }: SnapshotRun,
  now: Date,
): PlannedIncrement | undefined {
  const { mode, cursor_column: cursor, key_columns: keys, resource } = dataset;
  if (mode !== 'incremental' || cursor === null) return undefined;
  const { host, port, database } = configOf(connection);
  const about = JSON.stringify([host, port, database, resource, cursor, keys]);
  const fingerprint = createHash('sha256').update(about).digest('hex');
  const known = replicatedOf(dataset, fingerprint, tableId);
  const wholeAt = known?.wholeAt;
  const isDue = wholeAt === undefined || now.getTime() - Date.parse(wholeAt) > wholeEveryHours * 3_600_000;
  const since = isDue ? null : (known?.reached?.cursor ?? null);
  const { replicated } = dataset;
  const previousColumns = replicated?.tableId === tableId ? replicated.columns : undefined;
  return {
    ...{ cursor, keys, since, fingerprint, previousColumns },
    wholeAt: since === null ? undefined : wholeAt,
  };
}

/** How the copied rows change the table, and the dataset's new position. */
export function replicaOf(
  { since, fingerprint, wholeAt, previousColumns }: PlannedIncrement,
  { columns, increment: { reached, keys } }: Pick<Copied, 'columns'> & { increment: CopiedIncrement },
  { table_id: tableId }: SnapshotRun,
  now: Date,
): Replica {
  const cursor = reached ?? since;
  return {
    isIncremental: since !== null,
    keys,
    overlap: undefined,
    cursor,
    previousColumns,
    next: {
      fingerprint,
      tableId,
      reached: cursor === null ? null : { cursor, tieBreaker: null },
      sweep: null,
      wholeAt: wholeAt ?? now.toISOString(),
      columns: columns.map(({ name }) => name),
    },
  };
}
