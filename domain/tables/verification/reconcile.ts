import { sql } from 'kysely';
import type { Logger } from 'pino';
import { AppError } from '../../../data/errors.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import { closes } from '../../../data/processes/define.ts';
import type { ProcessDeps } from '../../../data/processes/processes.ts';
import { itemsAtOnce, itemsStep, type ReconcileStep, rowsStep } from '../../../data/reconciling/step.ts';
import { findRun } from '../../workspace/runs/runs.ts';
import { notifyWaiter } from '../../workspace/runs/waiter.ts';
import type { TableDeps } from '../tables/deps.ts';
import { dropTable } from '../tables/lifecycle.ts';
import { endVerification } from './lifecycle.ts';
import { verificationProcess, verificationStart } from './process.ts';
import type { VerificationId } from './verifications.ts';

export interface VerificationReconcileDeps extends ProcessDeps, TableDeps {
  logger: Pick<Logger, 'info' | 'warn'>;
}

/** The process of a younger run may not have been started yet. */
const ageSeconds = 60;

/** Ends or restarts runs whose process is gone, and removes failing rows that are kept no longer. */
export function verificationSteps(
  deps: VerificationReconcileDeps,
  olderThanSeconds = ageSeconds,
): ReconcileStep[] {
  const rows = { db: deps.db, foundBy: 'active_verifications', olderThanSeconds };
  const findFailures = async () => {
    const { rows } = await sql<{ organization_id: string; id: string }>`
      SELECT organization_id, id FROM expired_failures(${itemsAtOnce})`.execute(deps.db);
    return rows.map((row) => ({ organizationId: row.organization_id, id: row.id }));
  };
  return [
    rowsStep('verifications', rows, (organizationId, runId) => revive(deps, { organizationId, runId })),
    itemsStep('failing rows', findFailures, ({ organizationId, id }) =>
      dropTable(deps, organizationId, id, 'service').catch(ignoreWhileRead),
    ),
  ];
}

/** A view over failing rows keeps them, as it keeps any table; and another worker may have dropped them. */
function ignoreWhileRead(error: unknown): void {
  if (!(error instanceof AppError) || !['conflict', 'not_found'].includes(error.code)) throw error;
}

async function revive(deps: VerificationReconcileDeps, id: VerificationId): Promise<void> {
  const { organizationId, runId } = id;
  const run = await inOrganization(deps.db, organizationId, (db) => findRun(db, organizationId, runId));
  if (run === undefined) return;
  const state = await deps.processes.stateOf(run.workflow_id);
  if (state === 'running') return;
  if (closes(verificationProcess, state)) {
    await endVerification(deps.db, id, true);
    await notifyWaiter(deps, run);
  } else await deps.processes.restart(verificationStart(run));
  deps.logger.info({ organizationId, runId, state }, 'reconciled a verification whose process was gone');
}
