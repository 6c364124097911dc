import { z } from 'zod';
import { addressOf } from '../../../data/lake/catalog-address.ts';
import {
  attachSql,
  databaseUrl,
  type LakeAddresses,
  tlsElsewhere,
} from '../../../domain/tables/lake-credentials/attach.ts';
import { type LakeCredential, statusOf } from '../../../domain/tables/lake-credentials/credentials.ts';
import type { CredentialSecrets } from '../../../domain/tables/lake-credentials/issue.ts';
import { nullableTimestamp, timestamp, visibleName } from '../../schemas.ts';

export const credentialSchema = z
  .object({
    id: z.string().describe('The id of the credential. Its role in PostgreSQL has the same name.'),
    name: z.string(),
    status: z.enum(['making', 'active', 'expired', 'revoked']),
    accessKeyId: z.string().nullable().describe('The id of its key for the object store.'),
    createdBy: z.string(),
    createdAt: timestamp,
    expiresAt: nullableTimestamp,
    revokedAt: nullableTimestamp,
  })
  .meta({ id: 'LakeCredential' });

export const issuedCredentialSchema = credentialSchema
  .omit({ accessKeyId: true })
  .extend({
    attach: z
      .object({
        sql: z
          .string()
          .describe('SQL to paste into DuckDB, one statement per line. It contains the secrets.'),
        catalog: z
          .string()
          .describe('The name of the attached lake, and of its catalog schema in PostgreSQL.'),
        dataPath: z.string(),
      })
      .describe('How to attach the lake in DuckDB.'),
    database: z.object({ url: z.string() }).describe('The PostgreSQL database with the catalog.'),
    objects: z
      .object({
        endpoint: z.string(),
        region: z.string(),
        bucket: z.string(),
        prefix: z.string(),
        accessKeyId: z.string(),
        secretAccessKey: z.string(),
      })
      .describe('The object store with the files.'),
  })
  .meta({ id: 'IssuedLakeCredential' });

export const credentialExample: z.input<typeof credentialSchema> = {
  id: 'lcr_01kahz3v6dfyvb1s8m3h9q2w4x',
  name: 'notebooks',
  status: 'active',
  accessKeyId: 'AKIA4QHX7JZC2W5M9TPL',
  createdBy: 'usr_01kahz3v6dfyvb1s8m3h9q2w4x',
  createdAt: '2026-11-21T08:30:00.000Z',
  expiresAt: '2027-02-21T00:00:00.000Z',
  revokedAt: null,
};

const { accessKeyId: exampleKeyId, ...exampleFields } = credentialExample;

export const issuedCredentialExample: z.input<typeof issuedCredentialSchema> = {
  ...exampleFields,
  attach: {
    sql: 'INSTALL ducklake;\nLOAD ducklake;\n…\nUSE "lak_01kahz3v6dfyvb1s8m3h9q2w4x";\n',
    catalog: 'lak_01kahz3v6dfyvb1s8m3h9q2w4x',
    dataPath: 's3://workspace/lakes/lak_01kahz3v6dfyvb1s8m3h9q2w4x/',
  },
  database: { url: 'postgresql://lcr_01kahz3v6dfyvb1s8m3h9q2w4x:…@db.example:5432/workspace' },
  objects: {
    endpoint: 'https://s3.eu-central-1.amazonaws.com',
    region: 'eu-central-1',
    bucket: 'workspace',
    prefix: 'lakes/lak_01kahz3v6dfyvb1s8m3h9q2w4x/',
    accessKeyId: exampleKeyId!,
    secretAccessKey: '…',
  },
};

export const credentialBody = z
  .strictObject({
    name: visibleName(255).overwrite((text) => text.trim()),
    expires_at: z.iso
      .datetime({ offset: true })
      .optional()
      .describe("When the credential expires, in RFC 3339. By default it doesn't expire."),
  })
  .meta({ examples: [{ name: 'notebooks', expires_at: '2027-02-21T00:00:00Z' }] });

export function credentialView(row: LakeCredential): z.input<typeof credentialSchema> {
  return {
    ...{ id: row.id, name: row.name, status: statusOf(row), accessKeyId: row.access_key_id },
    createdBy: row.created_by,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at?.toISOString() ?? null,
    revokedAt: row.revoked_at?.toISOString() ?? null,
  };
}

export function issuedCredentialView(
  row: LakeCredential,
  secrets: CredentialSecrets,
  { databaseUrl: url, objectStore }: LakeAddresses,
): z.input<typeof issuedCredentialSchema> {
  const { accessKeyId: _, ...shown } = credentialView(row);
  const { password, accessKeyId, secretAccessKey, schema, dataPath } = secrets;
  const { tls, ...address } = addressOf(url);
  const catalog = { ...address, user: row.id, password, schema, tls: tlsElsewhere(tls) };
  const { endpoint, region, bucket } = objectStore;
  const objects = { endpoint, region, bucket, accessKeyId, secretAccessKey };
  return {
    ...shown,
    attach: { sql: attachSql(catalog, objects, dataPath), catalog: schema, dataPath },
    database: { url: databaseUrl(catalog) },
    objects: {
      ...objects,
      endpoint: endpoint ?? `https://s3.${region}.amazonaws.com`,
      prefix: new URL(dataPath).pathname.slice(1),
    },
  };
}
