import { createHash } from 'node:crypto';
import { RemoteFailure } from '../../../data/outgoing/failure.ts';
import type { RecordOf } from '../../../data/postgres/records.ts';
import type { CsvOptions } from '../../../packages/file-reader/index.ts';
import { configOf, replicationOf } from '../data-connections/change.ts';
import type { DataConnection } from '../data-connections/data-connections.ts';
import { type ReplicatedResource, tieBreakerColumn } from '../data-connections/replication-policy.ts';
import type { Reached } from '../data-connections/sources/http-cursor.ts';
import type { PagePosition } from '../data-connections/sources/http-pages.ts';

type Dataset = RecordOf<'datasets'>;

/** A dataset's position after its last copy; stored in its row. */
export interface Replicated {
  /** Fingerprint of the settings; if they change, the next copy reads everything again. */
  fingerprint: string;
  /** The table with the copied records. */
  tableId: string;
  reached: Reached | null;
  /** For a reading that reached `max_pages_per_run`: where to continue, and the latest position seen. */
  sweep: { position: PagePosition; reached: Reached | null } | null;
  /** For databases: time of the last full copy, in ISO 8601. */
  wholeAt?: string;
  /** For databases: the source's columns, by their names in the table, which may have more. */
  columns?: string[];
}

/**
 * The resource of an HTTP connection that a dataset refers to. @throws RemoteFailure if the policy no longer
 * has it
 */
export function resourceOf(connection: DataConnection, { resource }: Dataset): ReplicatedResource {
  const found = replicationOf(connection)?.resources?.find(({ request_path: path }) => path === resource);
  if (found !== undefined) return found;
  throw new RemoteFailure(
    'request',
    `http_replication no longer has a resource with the request_path ${resource}. Add it again, or delete the dataset.`,
  );
}

/**
 * The columns by which a record that comes again replaces its row; empty if every record is a separate row.
 */
export function keyColumnsOf({ key_columns: given }: Dataset, resource: ReplicatedResource) {
  const tieBreaker = tieBreakerColumn(resource);
  return given.length > 0 || tieBreaker === undefined ? given : [tieBreaker];
}

export function fingerprintOf(
  connection: DataConnection,
  resource: ReplicatedResource,
  keys: readonly string[],
): string {
  const { request_path, cursor, field_mappings, json_string_fields } = resource;
  const { base_url } = configOf(connection);
  const about = [base_url, request_path, cursor, field_mappings, json_string_fields, keys];
  return createHash('sha256').update(JSON.stringify(about)).digest('hex');
}

declare module '../../../data/postgres/schema.ts' {
  interface Documents {
    datasets: {
      replicated: Document<Replicated | null>;
      csv: Document<CsvOptions | null>;
    };
  }
}

/** The position that the next copy continues from; undefined if everything has to be read again. */
export function replicatedOf(dataset: Dataset, fingerprint: string, tableId: string): Replicated | undefined {
  const known = dataset.replicated;
  return known?.fingerprint === fingerprint && known.tableId === tableId ? known : undefined;
}
