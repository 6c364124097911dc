import type { ConnectionTypeTable } from './field.ts';
import { databasePassword, serverFields } from './postgres.ts';
import { accessKeys, bucket, endpoint, pathStyle, prefix, region } from './s3.ts';
import { identifierFault } from './texts.ts';

/** Location of a lake's files: a full URL, or a path below the bucket and the prefix. */
function dataPathFault(text: string): string | undefined {
  if (text.length > 900) return 'must have at most 900 characters.';
  if (/^s3:\/\/[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9](?:\/.*)?$/.test(text)) return undefined;
  return text.includes('://') || text.startsWith('/')
    ? 'must be an address that begins with s3://, or a path below the bucket.'
    : undefined;
}

/** Empty for a path below the bucket, because the bucket is a separate field. */
const bucketOf = (path: string): string => /^s3:\/\/[^/]*/.exec(path)?.[0] ?? '';

export const ducklake: ConnectionTypeTable = {
  type: 'ducklake',
  label: 'DuckLake',
  config: [
    ...serverFields(5_432),
    {
      key: 'metadata_schema',
      label: 'Metadata schema',
      type: 'string',
      required: false,
      example: 'public',
      preset: 'public',
      fault: identifierFault,
      directs: [],
    },
    {
      key: 'data_path',
      label: 'Data path',
      type: 'string',
      required: true,
      example: 's3://lake/data/',
      fault: dataPathFault,
      directs: bucket.directs,
      destination: bucketOf,
    },
    endpoint,
    region,
    { ...bucket, required: false },
    prefix,
    {
      key: 'format',
      label: 'File format',
      type: 'enum',
      required: false,
      values: ['parquet'],
      preset: 'parquet',
      directs: [],
    },
    pathStyle,
  ],
  secrets: [databasePassword, ...accessKeys],
};
