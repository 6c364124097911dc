import { sql } from 'kysely';
import { AppError } from '../../../data/errors.ts';
import { itemsAtOnce, itemsStep, type ReconcileStep } from '../../../data/reconciling/step.ts';
import { type Revival, type ReviveDeps, revivingStep } from '../../workspace/runs/revive.ts';
import type { Run } from '../../workspace/runs/runs.ts';
import type { TableDeps } from '../tables/deps.ts';
import { dropTable } from '../tables/lifecycle.ts';
import { endVerification } from './lifecycle.ts';
import { verificationRuns } from './process.ts';

export type VerificationReconcileDeps = TableDeps & ReviveDeps;

/** Ends or restarts runs whose process is gone, and removes failing rows that are kept no longer. */
export function verificationSteps(
  deps: VerificationReconcileDeps,
  olderThanSeconds?: number,
): ReconcileStep[] {
  const verifications: Revival<Run> = {
    end: async ({ organization_id: organizationId, id: runId }) => {
      await endVerification(deps.db, { organizationId, runId }, true);
      return true;
    },
  };
  const findFailures = async () => {
    const { rows } = await sql<{ organization_id: string; id: string }>`
      SELECT organization_id, id FROM expired_failures(${itemsAtOnce})`.execute(deps.db);
    return rows.map((row) => ({ organizationId: row.organization_id, id: row.id }));
  };
  return [
    revivingStep(deps, verificationRuns, verifications, olderThanSeconds),
    itemsStep('failing rows', findFailures, ({ organizationId, id }) =>
      dropTable(deps, organizationId, id, 'service').catch(ignoreWhileRead),
    ),
  ];
}

/** A view over failing rows keeps them, as it keeps any table; and another worker may have dropped them. */
function ignoreWhileRead(error: unknown): void {
  if (!(error instanceof AppError) || !['conflict', 'not_found'].includes(error.code)) throw error;
}
