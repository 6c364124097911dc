import type { ConnectionTypeTable, Field } from './field.ts';
import { bearerFault, bucketFault, prefixFault, regionFault, webAddressFault } from './texts.ts';

export const fileFormats = ['csv', 'parquet', 'ndjson'] as const;

export const endpoint: Field = {
  key: 'endpoint',
  label: 'Endpoint',
  type: 'string',
  required: false,
  example: 'https://s3.example.com',
  fault: (text) => webAddressFault(text) ?? (new URL(text).pathname === '/' ? undefined : 'has no path.'),
};

export const region: Field = {
  key: 'region',
  label: 'Region',
  type: 'string',
  required: false,
  example: 'eu-central-1',
  preset: 'us-east-1',
  fault: regionFault,
};

export const bucket: Field = {
  key: 'bucket',
  label: 'Bucket',
  type: 'string',
  required: true,
  example: 'exports',
  fault: bucketFault,
};

export const prefix: Field = {
  key: 'prefix',
  label: 'Prefix',
  type: 'string',
  required: false,
  example: 'daily/',
  fault: prefixFault,
};

export const pathStyle: Field = {
  key: 'path_style',
  label: 'Path-style addresses',
  type: 'boolean',
  required: false,
  example: true,
  preset: false,
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
    },
    pathStyle,
  ],
  secrets: accessKeys,
};
