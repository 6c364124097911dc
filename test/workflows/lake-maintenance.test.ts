import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { maintenanceProcess } from '../../domain/tables/lake-maintenance/process.ts';
import type {
  LakeMaintenanceControlActivities,
  LakeMaintenanceLakeActivities,
  LakeMaintenancePiece,
  LakeMaintenanceRunOutcome,
} from '../../workflows/tables/lake-maintenance/contract.ts';
import {
  lakeMaintenanceWorkflowType,
  runLakeMaintenanceSignal,
} from '../../workflows/tables/lake-maintenance/names.ts';
import { taskQueues } from '../../workflows/task-queues.ts';
import { expectEventually } from '../support/eventually.ts';
import { keepHistory } from '../support/histories.ts';
import { quietRuntime, timeSkipping } from '../support/temporal.ts';
import { workflowBundle } from '../support/workflow-bundle.ts';

type Activities = LakeMaintenanceControlActivities & LakeMaintenanceLakeActivities;

let env: TestWorkflowEnvironment;

beforeAll(async () => {
  quietRuntime();
  env = await timeSkipping();
});

afterAll(() => env?.teardown());

const hourMs = 3_600_000;
const done: LakeMaintenancePiece = { figures: {}, failures: [], next: null };

interface Recorded {
  activities: Activities;
  calls: string[];
  /** The server's time at which each run began. */
  begunAtMs: number[];
  outcomes: LakeMaintenanceRunOutcome[];
}

/** Activities that succeed, except for a test's changes; every call is recorded in order. */
function recording(change: Partial<Activities> = {}): Recorded {
  const recorded: Omit<Recorded, 'activities'> = { calls: [], begunAtMs: [], outcomes: [] };
  const activities: Activities = {
    planLakeMaintenance: async () => ({ waitMs: hourMs }),
    beginLakeMaintenanceRun: async () => {
      recorded.begunAtMs.push(await env.currentTimeMs());
      return `car_${recorded.begunAtMs.length}`;
    },
    endLakeMaintenanceRun: async (_input, _runId, outcome) => {
      recorded.outcomes.push(outcome);
    },
    flushLakeTables: async () => ({ ...done, figures: { tablesFlushed: 1, rowsFlushed: 10 } }),
    compactLakeTables: async () => done,
    expireLakeSnapshots: async () => done,
    removeOldLakeFiles: async () => done,
    removeLakeOrphans: async () => done,
    ...change,
  };
  const named = Object.fromEntries(
    Object.entries(activities).map(([name, activity]) => [
      name,
      (...args: never[]) => {
        recorded.calls.push(name);
        return (activity as (...given: never[]) => unknown)(...args);
      },
    ]),
  );
  return { ...recorded, activities: named as unknown as Activities };
}

/** Runs maintenance until `during` is done, then cancels it: by itself it never ends. */
async function withMaintenance(
  { activities }: Recorded,
  during: (workflowId: string, runId: string) => Promise<void>,
): Promise<void> {
  const organizationId = `org_${randomUUID()}`;
  const workflowId = maintenanceProcess.workflowId(organizationId);
  const { planLakeMaintenance, beginLakeMaintenanceRun, endLakeMaintenanceRun, ...lake } = activities;
  const control = await Worker.create({
    connection: env.nativeConnection,
    workflowBundle: workflowBundle(),
    taskQueue: taskQueues.control,
    activities: { planLakeMaintenance, beginLakeMaintenanceRun, endLakeMaintenanceRun },
  });
  const worker = await Worker.create({
    connection: env.nativeConnection,
    taskQueue: taskQueues.lake,
    activities: lake,
  });
  await control.runUntil(
    worker.runUntil(async () => {
      const handle = await env.client.workflow.start(lakeMaintenanceWorkflowType, {
        workflowId,
        taskQueue: taskQueues.control,
        args: [{ organizationId }],
      });
      await during(workflowId, handle.firstExecutionRunId);
      const latest = env.client.workflow.getHandle(workflowId);
      await latest.cancel();
      await latest.result().catch(() => undefined);
    }),
  );
}

async function until(condition: () => boolean): Promise<void> {
  await expectEventually(condition).toBe(true);
}

test('maintenance runs at every interval, step after step, and tells what it did', async () => {
  const maintenance = recording();
  await withMaintenance(maintenance, async (workflowId, runId) => {
    await env.sleep(3.5 * hourMs);
    await until(() => maintenance.outcomes.length >= 3);
    await keepHistory(env.client.workflow.getHandle(workflowId, runId), 'lake-maintenance-cadence');
  });
  const [first, second] = maintenance.begunAtMs;
  expect(second! - first!).toBeGreaterThanOrEqual(hourMs);
  expect(maintenance.calls.slice(0, 8)).toEqual([
    'planLakeMaintenance',
    'beginLakeMaintenanceRun',
    'flushLakeTables',
    'compactLakeTables',
    'expireLakeSnapshots',
    'removeOldLakeFiles',
    'removeLakeOrphans',
    'endLakeMaintenanceRun',
  ]);
  expect(maintenance.outcomes[0]).toMatchObject({
    figures: { tablesFlushed: 1, rowsFlushed: 10, snapshotsExpired: 0 },
    failures: [],
  });
});

test('the signal asks for a run now', async () => {
  const maintenance = recording();
  await withMaintenance(maintenance, async (workflowId, runId) => {
    const startedAtMs = await env.currentTimeMs();
    await env.client.workflow.getHandle(workflowId).signal(runLakeMaintenanceSignal);
    await until(() => maintenance.outcomes.length === 1);
    expect(maintenance.begunAtMs[0]! - startedAtMs).toBeLessThan(hourMs / 2);
    await keepHistory(env.client.workflow.getHandle(workflowId, runId), 'lake-maintenance-asked');
  });
});

test('a step that fails is told, after its bounded tries, and the run goes on with the next', async () => {
  const maintenance = recording({
    planLakeMaintenance: async () => ({ waitMs: maintenance.outcomes.length === 0 ? 0 : hourMs }),
    compactLakeTables: async () => {
      throw ApplicationFailure.create({ type: 'storage_unavailable', message: 'away' });
    },
    expireLakeSnapshots: async () => ({ ...done, figures: { snapshotsExpired: 4 } }),
  });
  await withMaintenance(maintenance, async (workflowId, runId) => {
    await env.sleep(hourMs / 2);
    await until(() => maintenance.outcomes.length === 1);
    await keepHistory(env.client.workflow.getHandle(workflowId, runId), 'lake-maintenance-step-failed');
  });
  expect(maintenance.calls.filter((name) => name === 'compactLakeTables')).toHaveLength(5);
  expect(maintenance.outcomes[0]).toMatchObject({
    figures: { rowsFlushed: 10, snapshotsExpired: 4 },
    failures: [{ step: 'compact', tableId: null, code: 'storage_unavailable' }],
  });
});

test('a step is done piece by piece until it is through', async () => {
  const seen: (string | null)[] = [];
  const maintenance = recording({
    planLakeMaintenance: async () => ({ waitMs: maintenance.outcomes.length === 0 ? 0 : hourMs }),
    flushLakeTables: async (_input, from) => {
      seen.push(from);
      const next = { 0: 'tbl_a', 1: 'tbl_b' }[seen.length - 1] ?? null;
      return { figures: { rowsFlushed: 1 }, failures: [], next };
    },
  });
  await withMaintenance(maintenance, () => until(() => maintenance.outcomes.length === 1));
  expect(seen).toEqual([null, 'tbl_a', 'tbl_b']);
  expect(maintenance.outcomes[0]!.figures.rowsFlushed).toBe(3);
});

test('after twenty runs it continues as a new execution, so that its history stays small', async () => {
  const maintenance = recording();
  await withMaintenance(maintenance, async (workflowId, runId) => {
    await env.sleep(22 * hourMs);
    await until(() => maintenance.outcomes.length >= 21);
    const first = await env.client.workflow.getHandle(workflowId, runId).describe();
    expect(first.status.name).toBe('CONTINUED_AS_NEW');
    expect(first.historyLength).toBeLessThan(3_000);
    await keepHistory(env.client.workflow.getHandle(workflowId, runId), 'lake-maintenance-continued');
  });
});

test('maintenance that is cancelled in the middle of a run does not leave the run open', async () => {
  let begun = false;
  const maintenance = recording({
    planLakeMaintenance: async () => ({ waitMs: 0 }),
    expireLakeSnapshots: async () => {
      begun = true;
      await new Promise((resolve) => setTimeout(resolve, 300));
      return done;
    },
  });
  await withMaintenance(maintenance, () => until(() => begun));
  expect(maintenance.outcomes.at(-1)!.failures.at(-1)).toMatchObject({ code: 'cancelled' });
});
