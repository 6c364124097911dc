import { AppError } from '../../../data/errors.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import {
  type AppConnectionRow,
  getAppConnectionRow,
  insertAppConnection,
  updateAppConnection,
} from './app-connections.ts';
import type { AppToolDeps } from './clients.ts';
import { forgetApprovals } from './record-tools.ts';
import { refreshTools } from './refresh.ts';
import {
  changedSecrets,
  openSecrets,
  refuseRedirectedSecrets,
  type SecretsChange,
  sealSecrets,
} from './secrets.ts';

export interface NewAppConnection {
  organizationId: string;
  id: string;
  name: string;
  url: string;
  secrets: SecretsChange;
  validateServerAddress: boolean;
  createdBy: string;
}

/**
 * Creates a connection, then queries its server. A connection whose server does not answer is kept too, with
 * the reason.
 */
export async function createAppConnection(deps: AppToolDeps, given: NewAppConnection): Promise<void> {
  const { organizationId, id, name, url, createdBy } = given;
  refuseUnvalidated(deps, given.validateServerAddress);
  const secrets = changedSecrets({}, given.secrets);
  await inOrganization(deps.db, organizationId, (db) =>
    insertAppConnection(db, {
      organization_id: organizationId,
      id,
      name,
      type: 'mcp',
      url,
      validate_server_address: given.validateServerAddress,
      ...sealSecrets(deps.cipher, secrets),
      created_by: createdBy,
    }),
  );
  await probeServer(deps, { organizationId, id });
}

export interface AppConnectionChange {
  organizationId: string;
  id: string;
  name: string | undefined;
  url: string | undefined;
  secrets: SecretsChange | undefined;
  validateServerAddress: boolean | undefined;
}

/** Omitted settings stay. If the connection's target changes, its server is queried again. */
export async function changeAppConnection(deps: AppToolDeps, change: AppConnectionChange): Promise<void> {
  const { organizationId, id } = change;
  if (change.validateServerAddress !== undefined) refuseUnvalidated(deps, change.validateServerAddress);
  const isOther = await inOrganization(deps.db, organizationId, async (db) => {
    const before = await getAppConnectionRow(db, organizationId, id, 'update');
    const settings = changedSettings(deps, before, change);
    await updateAppConnection(db, organizationId, id, {
      name: change.name ?? before.name,
      ...settings,
      updated_at: new Date(),
    });
    if (settings?.url !== undefined && settings.url !== before.url) await forgetApprovals(db, before);
    return settings !== undefined;
  });
  if (isOther) await probeServer(deps, { organizationId, id });
}

/** If no session is available, the connection stays untested; its row is already committed. */
async function probeServer(deps: AppToolDeps, which: { organizationId: string; id: string }): Promise<void> {
  await refreshTools(deps, which).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'rate_limited') throw error;
  });
}

/** The new settings of how a connection connects; undefined if they do not change. */
function changedSettings({ cipher }: AppToolDeps, before: AppConnectionRow, change: AppConnectionChange) {
  const { url = before.url, secrets: secretsChange, validateServerAddress } = change;
  const wasChecked = before.validate_server_address;
  const isChecked = validateServerAddress ?? wasChecked;
  if (url === before.url && secretsChange === undefined && validateServerAddress === undefined)
    return undefined;
  const stored = openSecrets(cipher, before.sealed_secrets);
  const secrets = changedSecrets(stored, secretsChange ?? {});
  refuseRedirectedSecrets(
    { url: before.url, isChecked: wasChecked, secrets: stored },
    { url, isChecked, secrets },
    secretsChange ?? {},
  );
  return {
    url,
    validate_server_address: isChecked,
    ...sealSecrets(cipher, secrets),
    settings_revision: before.settings_revision + 1,
    status: 'untested' as const,
    failure_stage: null,
    failure_message: null,
  };
}

function refuseUnvalidated({ apps }: AppToolDeps, validate: boolean): void {
  if (validate || apps.allowUnvalidated) return;
  throw new AppError(
    'unsupported_option',
    'validate_server_address cannot be false, because the operator of this service does not allow it.',
  );
}
