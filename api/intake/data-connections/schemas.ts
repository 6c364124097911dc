import { z } from 'zod';
import { configOf, replicationOf } from '../../../domain/intake/data-connections/change.ts';
import type { DataConnection } from '../../../domain/intake/data-connections/data-connections.ts';
import { connectionTypes } from '../../../domain/intake/data-connections/types/field.ts';
import { freeFormMap, keptMap } from '../../free-form.ts';
import { characters, nullableTimestamp, timestamp, visibleName } from '../../schemas.ts';
import { httpReplicationBody, replicationExample } from './replication-schemas.ts';

export const dataConnectionSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    type: z.enum(connectionTypes),
    description: z.string(),
    config: keptMap.describe('The settings as you sent them, without defaults.'),
    secretKeys: z
      .array(z.string())
      .describe('The names of the secrets that are set. Their values are never shown.'),
    snapshotConfig: z.object({
      enabled: z.boolean().describe('Whether every dataset of the connection can be copied.'),
      httpReplication: keptMap
        .nullable()
        .describe('The replication policy of an HTTP connection, as you sent it.'),
    }),
    createdByUserId: z.string().describe('The user or API client that created the connection.'),
    createdAt: timestamp,
    updatedAt: timestamp,
    lastTestedAt: nullableTimestamp,
    lastTestOk: z.boolean().nullable(),
  })
  .meta({ id: 'DataConnection' });

export const dataConnectionExample: z.input<typeof dataConnectionSchema> = {
  id: 'con_01kahz3v6dfyvb1s8m3h9q2w4x',
  name: 'Shop',
  type: 'postgres',
  description: 'The replica for reports.',
  config: { host: 'db.example.com', port: 5432, database: 'shop', user: 'readonly', ssl_mode: 'verify_full' },
  secretKeys: ['password'],
  snapshotConfig: { enabled: true, httpReplication: null },
  createdByUserId: 'cli_01kahz3v6dfyvb1s8m3h9q2w4x',
  createdAt: '2026-11-21T08:30:00.000Z',
  updatedAt: '2026-11-21T08:30:00.000Z',
  lastTestedAt: null,
  lastTestOk: null,
};

const name = visibleName(255).overwrite((text) => text.trim());
const description = characters(0, 2_000);
const config = freeFormMap.describe(
  'The keys that `GET /v1/connections/data/types` lists for the type. Not encrypted.',
);
const secrets = freeFormMap.describe(
  'The secret keys of the type. Stored encrypted and never shown. Send null to remove a secret.',
);
const snapshotConfig = z.strictObject({
  enabled: z.boolean().default(false).describe('Whether every dataset of the connection can be copied.'),
  http_replication: httpReplicationBody
    .nullable()
    .optional()
    .describe('For HTTP connections. If you omit it in a PATCH, it keeps its value.'),
});

export const createDataConnectionBody = z
  .strictObject({
    name,
    type: z.enum(connectionTypes),
    description: description.default(''),
    config: config.default({}),
    secrets: secrets.default({}),
    snapshot_config: snapshotConfig.optional(),
  })
  .meta({
    examples: [
      {
        name: 'Shop',
        type: 'postgres',
        config: { ...dataConnectionExample.config },
        secrets: { password: 'a-password' },
        snapshot_config: { enabled: true },
      },
      {
        name: 'CRM',
        type: 'http',
        config: { base_url: 'https://api.example.com/v1', auth_type: 'bearer' },
        secrets: { token: 'a-token' },
        snapshot_config: { enabled: true, http_replication: replicationExample },
      },
    ],
  });

/** Any text is accepted as the type, so that a different type, known or not, is refused as unchangeable. */
export const changeDataConnectionBody = z
  .strictObject({
    name: name.optional(),
    type: characters(1, 64).optional().describe("The type can't change."),
    description: description.optional(),
    config: config.optional(),
    secrets: secrets.optional(),
    snapshot_config: snapshotConfig.optional(),
  })
  .meta({ examples: [{ config: { host: 'db-2.example.com' }, secrets: { password: 'another-password' } }] });

export function dataConnectionView(connection: DataConnection): z.input<typeof dataConnectionSchema> {
  const policy = replicationOf(connection);
  return {
    id: connection.id,
    name: connection.name,
    type: connection.type,
    description: connection.description,
    config: configOf(connection),
    secretKeys: connection.secret_keys,
    snapshotConfig: {
      enabled: connection.snapshots_enabled,
      httpReplication: policy === null ? null : { ...policy },
    },
    createdByUserId: connection.created_by,
    createdAt: connection.created_at.toISOString(),
    updatedAt: connection.updated_at.toISOString(),
    lastTestedAt: connection.last_tested_at?.toISOString() ?? null,
    lastTestOk: connection.last_test_ok,
  };
}
