import type { ConfigField, ConnectionTypeTable, Field } from './field.ts';
import { bearerFault, bucketFault, originOf, prefixFault, regionFault, webAddressFault } from './texts.ts';

export const fileFormats = ['csv', 'parquet', 'ndjson'] as const;

/** The server's name contains the bucket, and, without an endpoint, also the region. */
const directs = ['access_key_id', 'secret_access_key'];

export const endpoint: ConfigField = {
  key: 'endpoint',
  label: 'Endpoint',
  type: 'string',
  required: false,
  example: 'https://s3.example.com',
  fault: (text) =>
    webAddressFault(text) ?? (new URL(text).pathname === '/' ? undefined : 'must not have a path.'),
  directs,
  destination: originOf,
};

export const region: ConfigField = {
  key: 'region',
  label: 'Region',
  type: 'string',
  required: false,
  example: 'eu-central-1',
  preset: 'us-east-1',
  fault: regionFault,
  directs,
};

export const bucket: ConfigField = {
  key: 'bucket',
  label: 'Bucket',
  type: 'string',
  required: true,
  example: 'exports',
  fault: bucketFault,
  directs,
};

export const prefix: ConfigField = {
  key: 'prefix',
  label: 'Prefix',
  type: 'string',
  required: false,
  example: 'daily/',
  fault: prefixFault,
  directs: [],
};

export const pathStyle: ConfigField = {
  key: 'path_style',
  label: 'Path-style addresses',
  type: 'boolean',
  required: false,
  example: true,
  preset: false,
  directs,
};

export const accessKeys: readonly Field[] = [
  { key: 'access_key_id', label: 'Access key id', type: 'string', required: true, fault: bearerFault },
  {
    key: 'secret_access_key',
    label: 'Secret access key',
    type: 'string',
    required: true,
    fault: bearerFault,
  },
];

export const s3: ConnectionTypeTable = {
  type: 's3',
  label: 'S3 object store',
  config: [
    endpoint,
    region,
    bucket,
    prefix,
    {
      key: 'format',
      label: 'File format',
      type: 'enum',
      required: true,
      values: fileFormats,
      example: 'parquet',
      directs: [],
    },
    pathStyle,
  ],
  secrets: accessKeys,
};
