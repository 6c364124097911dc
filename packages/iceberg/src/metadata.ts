import type { IcebergSchema } from './schema.ts';

/** A version of a table, as its metadata lists it. */
export interface IcebergSnapshot {
  'snapshot-id': number;
  'sequence-number': number;
  'timestamp-ms': number;
  'manifest-list': string;
  summary: Record<string, string>;
  'schema-id': number;
}

export interface TableDescription {
  uuid: string;
  /** Where engines write files of the table. */
  location: string;
  lastColumnId: number;
  /** The current one first; others are those of older versions. */
  schemas: readonly IcebergSchema[];
  /** Oldest first; the last is current. */
  snapshots: readonly IcebergSnapshot[];
  properties: Readonly<Record<string, string>>;
}

/** A table's metadata of version 2 of the specification, without partitions or an order. */
export function tableMetadata(table: TableDescription): object {
  const current = table.snapshots.at(-1);
  return {
    'format-version': 2,
    'table-uuid': table.uuid,
    location: table.location,
    'last-sequence-number': current?.['sequence-number'] ?? 0,
    'last-updated-ms': current?.['timestamp-ms'] ?? 0,
    'last-column-id': table.lastColumnId,
    'current-schema-id': table.schemas[0]!['schema-id'],
    schemas: table.schemas,
    'default-spec-id': 0,
    'partition-specs': [{ 'spec-id': 0, fields: [] }],
    'last-partition-id': 999,
    'default-sort-order-id': 0,
    'sort-orders': [{ 'order-id': 0, fields: [] }],
    properties: table.properties,
    ...(current === undefined
      ? { 'current-snapshot-id': -1, refs: {} }
      : {
          'current-snapshot-id': current['snapshot-id'],
          refs: { main: { 'snapshot-id': current['snapshot-id'], type: 'branch' } },
        }),
    snapshots: table.snapshots,
    'snapshot-log': table.snapshots.map((snapshot) => ({
      'timestamp-ms': snapshot['timestamp-ms'],
      'snapshot-id': snapshot['snapshot-id'],
    })),
    'metadata-log': [],
  };
}
