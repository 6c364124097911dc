import type { Cipher } from '../../../../data/encryption.ts';
import { AppError } from '../../../../data/errors.ts';
import { type Database, inOrganization } from '../../../../data/postgres/client.ts';
import type { NodeSecrets } from '../../../publishing/deliveries/attempt-http.ts';
import { openNodeSecrets } from '../graphs/sealed.ts';

/**
 * Secrets of delivery nodes as of the activation of their run's version; rows of deliveries never contain
 * them.
 */
export function nodeSecretsOf({ db, cipher }: { db: Database; cipher: Cipher }): NodeSecrets {
  return async (delivery, key) => {
    const version = await inOrganization(db, delivery.organization_id, (transaction) =>
      transaction
        .selectFrom('workflow_runs as run')
        .innerJoin('workflow_versions as version', (join) =>
          join
            .onRef('version.organization_id', '=', 'run.organization_id')
            .onRef('version.id', '=', 'run.version_id'),
        )
        .select('version.sealed_secrets')
        .where('run.organization_id', '=', delivery.organization_id)
        .where('run.id', '=', delivery.workflow_run_id)
        .executeTakeFirst(),
    );
    const secret = version && openNodeSecrets(cipher, version)[delivery.node_id ?? '']?.[key];
    if (secret === undefined)
      throw new AppError('not_found', `The delivery node has no ${key} in this version of the workflow.`);
    return secret;
  };
}
