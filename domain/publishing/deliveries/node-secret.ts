import type { Cipher } from '../../../data/encryption.ts';
import { AppError } from '../../../data/errors.ts';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import { openNodeSecrets } from '../../automation/workflows/graphs/sealed.ts';
import type { Delivery } from './deliveries.ts';

/** A secret of the node that delivers, as it was when its run's version was activated: no row of ours has it. */
export async function nodeSecret(
  { db, cipher }: { db: Database; cipher: Cipher },
  row: Delivery,
  key: 'webhook_url' | 'secret',
): Promise<string> {
  const version = await inOrganization(db, row.organization_id, (transaction) =>
    transaction
      .selectFrom('workflow_runs as run')
      .innerJoin('workflow_versions as version', (join) =>
        join
          .onRef('version.organization_id', '=', 'run.organization_id')
          .onRef('version.id', '=', 'run.version_id'),
      )
      .select('version.sealed_secrets')
      .where('run.organization_id', '=', row.organization_id)
      .where('run.id', '=', row.workflow_run_id)
      .executeTakeFirst(),
  );
  const secret = version && openNodeSecrets(cipher, version)[row.node_id ?? '']?.[key];
  if (secret === undefined)
    throw new AppError('not_found', `The version of the workflow has no ${key} for the node that delivers.`);
  return secret;
}
