import { avroFile, avroSchema } from './avro.ts';
import { boundOf } from './bounds.ts';
import type { IcebergSchema } from './schema.ts';

/** What a catalog knows of one column in one file. */
export interface ColumnStatistics {
  columnId: number;
  sizeBytes: number | null;
  nullCount: number | null;
  /** As DuckLake's catalog has them. */
  min: string | null;
  max: string | null;
  /** Whether the bounds don't cover all values. */
  hasNan: boolean;
}

export interface DataFile {
  url: string;
  rows: number;
  sizeBytes: number;
  /** The snapshot that added it. */
  addedBy: number;
  columns: readonly ColumnStatistics[];
}

/** A Parquet file of the positions of deleted rows. */
export interface DeleteFile {
  url: string;
  rows: number;
  sizeBytes: number;
}

export interface Manifest {
  bytes: Buffer;
  content: 'data' | 'deletes';
  files: number;
  rows: number;
  firstSequence: number;
}

const optional = (type: object | string) => ['null', type];
const idMap = (name: string, [key, value]: readonly [number, number], type: string) => ({
  type: 'array',
  logicalType: 'map',
  items: {
    type: 'record',
    name,
    fields: [
      { name: 'key', type: 'int', 'field-id': key },
      { name: 'value', type, 'field-id': value },
    ],
  },
});
const field = (name: string, id: number, type: object | string) => ({ name, type, 'field-id': id });
const maybe = (name: string, id: number, type: object | string) => ({
  ...field(name, id, optional(type)),
  default: null,
});

/** Iceberg's specification, "Manifests", version 2. */
const entrySchema = avroSchema({
  type: 'record',
  name: 'manifest_entry',
  fields: [
    field('status', 0, 'int'),
    maybe('snapshot_id', 1, 'long'),
    maybe('sequence_number', 3, 'long'),
    maybe('file_sequence_number', 4, 'long'),
    field('data_file', 2, {
      type: 'record',
      name: 'r2',
      fields: [
        field('content', 134, 'int'),
        field('file_path', 100, 'string'),
        field('file_format', 101, 'string'),
        field('partition', 102, { type: 'record', name: 'r102', fields: [] }),
        field('record_count', 103, 'long'),
        field('file_size_in_bytes', 104, 'long'),
        maybe('column_sizes', 108, idMap('k117_v118', [117, 118], 'long')),
        maybe('value_counts', 109, idMap('k119_v120', [119, 120], 'long')),
        maybe('null_value_counts', 110, idMap('k121_v122', [121, 122], 'long')),
        maybe('lower_bounds', 125, idMap('k126_v127', [126, 127], 'bytes')),
        maybe('upper_bounds', 128, idMap('k129_v130', [129, 130], 'bytes')),
        maybe('sort_order_id', 140, 'int'),
      ],
    }),
  ],
});

const existing = 0;

/** A manifest of a version's data files. */
export function dataManifest(schema: IcebergSchema, files: readonly DataFile[]): Promise<Manifest> {
  const types = new Map(schema.fields.map(({ id, type }) => [id, type]));
  const entries = files.map((file) => {
    const columns = file.columns.filter(({ columnId }) => types.has(columnId));
    const perColumn = <T>(of: (column: ColumnStatistics) => T | null | undefined) =>
      columns.flatMap((column) => {
        const value = of(column);
        return value == null ? [] : [{ key: column.columnId, value }];
      });
    const bounds = (side: 'min' | 'max') =>
      perColumn((column) => (column.hasNan ? undefined : boundOf(types.get(column.columnId)!, column[side])));
    return entry(file.addedBy, {
      ...fileMembers(0, file),
      column_sizes: perColumn(({ sizeBytes }) => sizeBytes),
      value_counts: perColumn(({ nullCount }) => (nullCount === null ? null : file.rows)),
      null_value_counts: perColumn(({ nullCount }) => nullCount),
      lower_bounds: bounds('min'),
      upper_bounds: bounds('max'),
      sort_order_id: 0,
    });
  });
  const firstSequence = files.reduce((first, { addedBy }) => Math.min(first, addedBy), Infinity);
  return manifest(schema, 'data', files, entries, firstSequence);
}

/** A manifest of deleted rows, which hold for all files that the version has. */
export function deleteManifest(
  schema: IcebergSchema,
  files: readonly DeleteFile[],
  version: number,
): Promise<Manifest> {
  const entries = files.map((file) =>
    entry(version, {
      ...fileMembers(1, file),
      ...{ column_sizes: null, value_counts: null, null_value_counts: null },
      ...{ lower_bounds: null, upper_bounds: null, sort_order_id: null },
    }),
  );
  return manifest(schema, 'deletes', files, entries, version);
}

const entry = (sequence: number, dataFile: object) => ({
  ...{ status: existing, snapshot_id: sequence, sequence_number: sequence },
  ...{ file_sequence_number: sequence, data_file: dataFile },
});

const fileMembers = (content: number, { url, rows, sizeBytes }: DeleteFile) => ({
  ...{ content, file_path: url, file_format: 'PARQUET', partition: {} },
  ...{ record_count: rows, file_size_in_bytes: sizeBytes },
});

async function manifest(
  schema: IcebergSchema,
  content: Manifest['content'],
  files: readonly { rows: number }[],
  entries: readonly object[],
  firstSequence: number,
): Promise<Manifest> {
  const metadata = {
    schema: JSON.stringify(schema),
    'schema-id': String(schema['schema-id']),
    ...{ 'partition-spec': '[]', 'partition-spec-id': '0', 'format-version': '2', content },
  };
  const rows = files.reduce((sum, file) => sum + file.rows, 0);
  return {
    ...{ bytes: await avroFile(entrySchema, metadata, entries), content, files: files.length, rows },
    firstSequence,
  };
}

/** Iceberg's specification, "Manifest Lists", version 2. */
const listSchema = avroSchema({
  type: 'record',
  name: 'manifest_file',
  fields: [
    field('manifest_path', 500, 'string'),
    field('manifest_length', 501, 'long'),
    field('partition_spec_id', 502, 'int'),
    field('content', 517, 'int'),
    field('sequence_number', 515, 'long'),
    field('min_sequence_number', 516, 'long'),
    field('added_snapshot_id', 503, 'long'),
    field('added_files_count', 504, 'int'),
    field('existing_files_count', 505, 'int'),
    field('deleted_files_count', 506, 'int'),
    field('added_rows_count', 512, 'long'),
    field('existing_rows_count', 513, 'long'),
    field('deleted_rows_count', 514, 'long'),
  ],
});

/** The list of a version's manifests. */
export function manifestList(
  version: number,
  manifests: readonly (Manifest & { url: string })[],
): Promise<Buffer> {
  return avroFile(
    listSchema,
    { 'snapshot-id': String(version), 'sequence-number': String(version), 'format-version': '2' },
    manifests.map(({ url, bytes, content, files, rows, firstSequence }) => ({
      ...{ manifest_path: url, manifest_length: bytes.length, partition_spec_id: 0 },
      ...{ content: content === 'data' ? 0 : 1, sequence_number: version },
      ...{ min_sequence_number: firstSequence, added_snapshot_id: version, added_files_count: 0 },
      ...{ existing_files_count: files, deleted_files_count: 0, added_rows_count: 0 },
      ...{ existing_rows_count: rows, deleted_rows_count: 0 },
    })),
  );
}
