import type { Cipher } from '../../../data/encryption.ts';
import { AppError, ValidationError, type ValidationFault } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import {
  type DataConnection,
  getDataConnection,
  insertDataConnection,
  updateDataConnection,
} from './data-connections.ts';
import { refuseUnlessFilledTablesWritable } from './filled-tables.ts';
import { type Direction, redirectedSecretFaults } from './redirected-secrets.ts';
import { type HttpReplication, replicationFaults } from './replication-policy.ts';
import { mergedSettings, type Settings, type SettingsChange, settingsFaults } from './settings.ts';
import type { ConnectionType } from './types/field.ts';
import { typeTables } from './types/types.ts';

export interface ConnectionRules {
  cipher: Cipher;
  /** Whether the operator permits HTTP sources at unchecked addresses. */
  allowUnvalidated: boolean;
}

/** As in a request; null removes the HTTP policy. */
export interface SnapshotConfig {
  enabled: boolean;
  http_replication?: HttpReplication | null | undefined;
}

export interface NewDataConnection {
  organizationId: string;
  id: string;
  name: string;
  type: ConnectionType;
  description: string;
  config: SettingsChange;
  secrets: SettingsChange;
  snapshotConfig: SnapshotConfig | undefined;
  createdBy: string;
}

/** @throws ValidationError with every fault, AppError name_taken, conflict, unsupported_option */
export async function createDataConnection(
  db: OrganizationTransaction,
  rules: ConnectionRules,
  given: NewDataConnection,
): Promise<DataConnection> {
  const config = mergedSettings({}, given.config);
  const secrets = mergedSettings({}, given.secrets);
  refuseFaults(rules, given.type, { config, secrets, snapshotConfig: given.snapshotConfig });
  return insertDataConnection(db, {
    organization_id: given.organizationId,
    id: given.id,
    name: given.name,
    type: given.type,
    description: given.description,
    config: JSON.stringify(config),
    ...sealed(rules.cipher, secrets),
    snapshots_enabled: given.snapshotConfig?.enabled ?? false,
    http_replication: textOf(given.snapshotConfig?.http_replication),
    created_by: given.createdBy,
  });
}

export interface DataConnectionChange {
  organizationId: string;
  id: string;
  name?: string | undefined;
  type?: string | undefined;
  description?: string | undefined;
  config?: SettingsChange | undefined;
  secrets?: SettingsChange | undefined;
  snapshotConfig?: SnapshotConfig | undefined;
}

/**
 * Fields left out stay unchanged. `config` and `secrets` are merged key by key and validated as a whole. A
 * snapshot policy replaces the previous one, except that `http_replication` stays if the policy does not
 * contain it. Secrets that the change would send elsewhere must be given again.
 */
export async function changeDataConnection(
  db: OrganizationTransaction,
  rules: ConnectionRules,
  change: DataConnectionChange,
): Promise<DataConnection> {
  const before = await getDataConnection(db, change.organizationId, change.id, 'update');
  await refuseUnlessFilledTablesWritable(db, before);
  if (change.type !== undefined && change.type !== before.type)
    throw new AppError(
      'unsupported_option',
      `The connection has the type ${before.type}, which cannot change. Create a new connection.`,
    );
  const { snapshotConfig } = change;
  const isOther = change.config !== undefined || change.secrets !== undefined;
  const config = mergedSettings(configOf(before), change.config ?? {});
  const stored = openConnectionSecrets(rules.cipher, before);
  const secrets = mergedSettings(stored, change.secrets ?? {});
  const policy = snapshotConfig?.http_replication;
  const redirected = redirectedSecretFaults(
    typeTables[before.type],
    directionOf(configOf(before), replicationOf(before)),
    directionOf(config, policy === undefined ? replicationOf(before) : policy),
    { kept: stored, given: change.secrets ?? {} },
  );
  const given = isOther ? { config, secrets, snapshotConfig } : { snapshotConfig };
  refuseFaults(rules, before.type, given, redirected);
  return updateDataConnection(db, before, {
    ...(change.name === undefined ? {} : { name: change.name }),
    ...(change.description === undefined ? {} : { description: change.description }),
    ...(isOther
      ? {
          config: JSON.stringify(config),
          ...sealed(rules.cipher, secrets),
          settings_revision: before.settings_revision + 1,
          // The last test was of other settings.
          last_tested_at: null,
          last_test_ok: null,
        }
      : {}),
    ...(snapshotConfig === undefined ? {} : { snapshots_enabled: snapshotConfig.enabled }),
    ...(snapshotConfig?.http_replication === undefined
      ? {}
      : { http_replication: textOf(snapshotConfig.http_replication) }),
    updated_at: new Date(),
  });
}

export function configOf({ config }: Pick<DataConnection, 'config'>): Settings {
  return JSON.parse(config) as Settings;
}

export function openConnectionSecrets(
  cipher: Cipher,
  { sealed_secrets: bytes }: Pick<DataConnection, 'sealed_secrets'>,
): Record<string, string> {
  return JSON.parse(cipher.open(bytes).toString('utf8')) as Record<string, string>;
}

export function replicationOf({
  http_replication: text,
}: Pick<DataConnection, 'http_replication'>): HttpReplication | null {
  return text === null ? null : (JSON.parse(text) as HttpReplication);
}

function sealed(cipher: Cipher, secrets: Settings) {
  return {
    sealed_secrets: cipher.seal(JSON.stringify(secrets)),
    secret_keys: Object.keys(secrets).sort(),
  };
}

function textOf(policy: HttpReplication | null | undefined): string | null {
  return policy === undefined || policy === null ? null : JSON.stringify(policy);
}

const directionOf = (config: Settings, policy: HttpReplication | null): Direction => ({
  config,
  isChecked: policy?.validate_server_address !== false,
});

function refuseFaults(
  { allowUnvalidated }: ConnectionRules,
  type: ConnectionType,
  {
    config,
    secrets,
    snapshotConfig,
  }: { config?: Settings; secrets?: Settings; snapshotConfig: SnapshotConfig | undefined },
  redirected: readonly ValidationFault[] = [],
): void {
  const policy = snapshotConfig?.http_replication;
  const faults = config === undefined ? [] : settingsFaults(typeTables[type], config, secrets ?? {});
  if (policy !== undefined && policy !== null) {
    if (type !== 'http')
      faults.push({
        loc: ['body', 'snapshot_config', 'http_replication'],
        msg: 'Only connections of the type http can have http_replication.',
        type: 'value_error',
      });
    else faults.push(...replicationFaults(policy));
  }
  // At most one fault per secret: one that no longer applies is not also reported as redirected.
  const isReported = (place: string) => faults.some(({ loc }) => loc.join() === place);
  faults.push(...redirected.filter(({ loc }) => !isReported(loc.join())));
  if (faults.length > 0) throw new ValidationError(faults);
  if (policy?.validate_server_address === false && !allowUnvalidated)
    throw new AppError(
      'unsupported_option',
      'validate_server_address cannot be false, because the operator of this service does not allow it.',
    );
}
