import { z } from 'zod';

/** Shapes of Apache Iceberg's REST catalog, whose names are that specification's. */

const prefix = 'org_01k9z6v3m8f4t9x2c7b5d1h0qa';
const store = { 's3.region': 'us-east-1', 'client.region': 'us-east-1' };
const credentials = {
  prefix: 's3://workspace/lakes/lak_01k9z6v3m8f4t9x2c7b5d1h0qb/',
  config: { ...store, 's3.access-key-id': 'AKIA…', 's3.secret-access-key': '…' },
};

const identifier = z.looseObject({ namespace: z.array(z.string()), name: z.string() });

export const catalogConfig = z
  .object({
    defaults: z.record(z.string(), z.string()),
    overrides: z.record(z.string(), z.string()),
    endpoints: z.array(z.string()),
  })
  .meta({ examples: [{ defaults: {}, overrides: { prefix }, endpoints: ['GET /v1/{prefix}/namespaces'] }] });

export const namespaceList = z
  .object({
    namespaces: z.array(z.array(z.string())),
    'next-page-token': z.string().nullable().optional(),
  })
  .meta({ examples: [{ namespaces: [['main']] }] });

export const namespaceView = z
  .object({
    namespace: z.array(z.string()),
    properties: z.record(z.string(), z.string()),
  })
  .meta({ examples: [{ namespace: ['main'], properties: {} }] });

export const tableList = z
  .object({
    identifiers: z.array(identifier),
    'next-page-token': z.string().nullable().optional(),
  })
  .meta({ examples: [{ identifiers: [{ namespace: ['main'], name: 'orders' }] }] });

export const loadedTable = z
  .object({
    'metadata-location': z.string(),
    metadata: z.looseObject({}),
    config: z.record(z.string(), z.string()),
    'storage-credentials': z
      .array(z.object({ prefix: z.string(), config: z.record(z.string(), z.string()) }))
      .optional(),
  })
  .meta({
    examples: [
      {
        'metadata-location': 's3://workspace/iceberg/org_…/tbl_…/41-5b1c/metadata.json',
        metadata: { 'format-version': 2, 'current-snapshot-id': 41 },
        config: store,
        'storage-credentials': [credentials],
      },
    ],
  });

export const tableCredentials = z
  .object({
    'storage-credentials': z.array(
      z.object({ prefix: z.string(), config: z.record(z.string(), z.string()) }),
    ),
  })
  .meta({ examples: [{ 'storage-credentials': [credentials] }] });

export const listQuery = z.object({
  pageToken: z.string().optional(),
  pageSize: z.coerce.number().int().min(1).max(1_000).optional(),
  parent: z.string().optional(),
});

export const configQuery = z.object({ warehouse: z.string().optional() });

export const loadQuery = z.object({ snapshots: z.enum(['all', 'refs']).optional() });

export const signBody = z
  .looseObject({
    region: z.string().max(100),
    method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'DELETE']),
    uri: z.string().max(8_192),
    headers: z.record(z.string(), z.array(z.string())),
  })
  .meta({
    examples: [
      {
        region: 'us-east-1',
        method: 'GET',
        uri: 'https://s3.example.com/workspace/iceberg/org_…/tbl_…/41-5b1c/snap-41.avro',
        headers: {},
      },
    ],
  });

/** A report that an engine makes of a scan or a commit. */
export const metricsReport = z.looseObject({}).meta({
  examples: [{ 'report-type': 'scan-report', 'table-name': 'orders', 'snapshot-id': 41 }],
});

export const signed = z
  .object({ uri: z.string(), headers: z.record(z.string(), z.array(z.string())) })
  .meta({ examples: [{ uri: 'https://s3.example.com/workspace/…?X-Amz-Signature=…', headers: {} }] });
