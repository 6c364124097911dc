import { createHash } from 'node:crypto';
import { RemoteFailure } from '../../../data/outgoing/failure.ts';
import { configOf, replicationOf } from '../data-connections/change.ts';
import type { DataConnection } from '../data-connections/data-connections.ts';
import type { ReplicatedResource } from '../data-connections/replication-policy.ts';
import type { Reached } from '../data-connections/sources/http-cursor.ts';
import type { PagePosition } from '../data-connections/sources/http-pages.ts';
import type { Dataset } from './datasets.ts';

/** How far the copies of a dataset came, as its row keeps it. */
export interface Replicated {
  /** Of the settings that it is about: with others the next copy reads everything anew. */
  fingerprint: string;
  /** The table that has what was read. */
  tableId: string;
  reached: Reached | null;
  /** A reading that met `max_pages_per_run`: where it goes on, and what it has seen. */
  sweep: { position: PagePosition; reached: Reached | null } | null;
  /** Of a database: when everything was copied, in ISO 8601. */
  wholeAt?: string;
}

/**
 * The resource of an HTTP connection that a dataset names. @throws RemoteFailure where its policy has it no
 * more
 */
export function resourceOf(connection: DataConnection, { resource }: Dataset): ReplicatedResource {
  const found = replicationOf(connection)?.resources?.find(({ request_path: path }) => path === resource);
  if (found !== undefined) return found;
  throw new RemoteFailure(
    'request',
    `http_replication has no resource with the request_path ${resource} any more: put it back, or delete the dataset.`,
  );
}

/**
 * The columns by which a record that comes again replaces its row; none where every record is a row of its
 * own.
 */
export function keyColumnsOf(
  { key_columns: given }: Dataset,
  { cursor, field_mappings }: ReplicatedResource,
) {
  const tieBreaker = cursor?.tie_breaker_field;
  if (given.length > 0 || tieBreaker === undefined) return given;
  return [field_mappings?.[tieBreaker] ?? tieBreaker];
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

/** What is known of the table that the next copy adds to; undefined where it is to be read anew. */
export function replicatedOf(dataset: Dataset, fingerprint: string, tableId: string): Replicated | undefined {
  const known = dataset.replicated as unknown as Replicated | null;
  return known?.fingerprint === fingerprint && known.tableId === tableId ? known : undefined;
}
