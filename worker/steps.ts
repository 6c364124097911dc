import { sql } from 'kysely';
import type { ActivityDeps } from '../activities/deps.ts';
import { processSteps } from '../data/processes/reconcile.ts';
import { purgeTries } from '../data/reconciling/run.ts';
import { type ReconcileStep, wholeStep } from '../data/reconciling/step.ts';
import { agentRunSteps } from '../domain/analyst/agent-runs/reconcile.ts';
import { conversationSteps } from '../domain/analyst/conversations/reconcile.ts';
import { scheduleSteps } from '../domain/automation/schedules/reconcile.ts';
import { expiredMakerSteps } from '../domain/automation/workflows/expired-makers.ts';
import { workflowRunSteps } from '../domain/automation/workflows/runs/reconcile.ts';
import { snapshotSteps } from '../domain/intake/datasets/reconcile.ts';
import { importSteps } from '../domain/intake/file-imports/reconcile.ts';
import { batchSteps } from '../domain/intake/ingestion/reconcile.ts';
import { deliverySteps } from '../domain/publishing/deliveries/retry.ts';
import { materializationSteps } from '../domain/tables/calculated-tables/reconcile.ts';
import { exportSteps } from '../domain/tables/exports/reconcile.ts';
import { icebergKeySteps } from '../domain/tables/iceberg/keys.ts';
import { lakeCredentialSteps } from '../domain/tables/lake-credentials/reconcile.ts';
import { lakeMaintenanceSteps } from '../domain/tables/lake-maintenance/reconcile.ts';
import { profileSteps } from '../domain/tables/profiles/reconcile.ts';
import { tableSteps } from '../domain/tables/tables/reconcile.ts';
import { verificationSteps } from '../domain/tables/verification/reconcile.ts';
import { appHealthSteps } from '../domain/workspace/apps/reconcile.ts';
import { fileSteps } from '../domain/workspace/files/reconcile.ts';
import { deletionSteps } from '../domain/workspace/organizations/deletion/reconcile.ts';
import { unlessPaused } from '../domain/workspace/pause/pause.ts';
import { runSteps } from '../domain/workspace/runs/reconcile.ts';
import { usageSteps } from '../domain/workspace/usage/reconcile.ts';

/** The steps of every feature, in the order in which a worker runs them. */
export function reconcileSteps(
  deps: ActivityDeps,
  lakeMaintenance: { intervalSeconds: number },
): ReconcileStep[] {
  return [
    ...processSteps(deps),
    ...importSteps(deps),
    ...unlessPaused(deps.db, snapshotSteps(deps)),
    ...batchSteps(deps),
    ...materializationSteps(deps),
    ...profileSteps(deps),
    ...verificationSteps(deps),
    ...exportSteps(deps),
    ...runSteps(deps),
    ...unlessPaused(deps.db, [...conversationSteps(deps), ...agentRunSteps(deps)]),
    ...expiredMakerSteps(deps),
    ...unlessPaused(deps.db, [...scheduleSteps(deps), ...workflowRunSteps(deps), ...deliverySteps(deps)]),
    ...tableSteps(deps),
    ...fileSteps(deps),
    ...lakeMaintenanceSteps(deps, lakeMaintenance),
    ...lakeCredentialSteps(deps),
    ...icebergKeySteps(deps),
    ...appHealthSteps(deps),
    ...deletionSteps(deps),
    ...usageSteps(deps),
    wholeStep('purge', async () => {
      await sql`SELECT purge_expired(${1_000})`.execute(deps.db);
      await purgeTries(deps.db);
    }),
    wholeStep('purge sign-ins', async () => {
      await sql`SELECT remove_old_sign_ins(${1_000})`.execute(deps.db);
      await sql`SELECT remove_full_buckets(${10_000})`.execute(deps.db);
      await sql`SELECT remove_old_audit_events(${10_000})`.execute(deps.db);
    }),
  ];
}
