import { sql } from 'kysely';
import type { Logger } from 'pino';
import { dropEndedRoles, endCostlyReadings, limitOlderRoles } from '../../../data/lake/reading-roles.ts';
import { itemsAtOnce, itemsStep, type ReconcileStep, wholeStep } from '../../../data/reconciling/step.ts';
import type { CredentialDeps } from './issue.ts';
import { removeCredential } from './remove.ts';

interface ReconcileDeps extends CredentialDeps {
  logger: Pick<Logger, 'info'>;
}

/** The making of a younger one may still be under way. */
const lostAfterSeconds = 600;
const keptDays = 30;

/** Removes what credentials that have ended still hold, and ends readings that cost others too much. */
export function lakeCredentialSteps(deps: ReconcileDeps): ReconcileStep[] {
  const find = async () => {
    const { rows } = await sql<{ organization_id: string; id: string }>`
      SELECT organization_id, id
      FROM ended_lake_credentials(make_interval(secs => ${lostAfterSeconds}), ${itemsAtOnce})
    `.execute(deps.db);
    return rows.map((row) => ({ organizationId: row.organization_id, credentialId: row.id }));
  };
  return [
    itemsStep('lake credentials', find, async (id) => {
      await removeCredential(deps, id);
      deps.logger.info(id, 'removed a lake credential that had ended');
    }),
    wholeStep('costly readings of lakes', async () => {
      const ended = await endCostlyReadings(deps.lake.catalogPool);
      if (ended > 0)
        deps.logger.info({ ended }, 'ended sessions of lake credentials that cost others too much');
    }),
    wholeStep('limits of roles of lakes', () => limitOlderRoles(deps.lake.catalogPool, itemsAtOnce)),
    wholeStep('ended roles of lakes', () => dropEndedRoles(deps.lake.catalogPool, itemsAtOnce)),
    wholeStep('old lake credentials', () =>
      sql`SELECT purge_lake_credentials(make_interval(days => ${keptDays}), ${1_000})`.execute(deps.db),
    ),
  ];
}
