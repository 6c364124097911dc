import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { WorkflowFailedError, WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { taskQueues } from '../../workflows/task-queues.ts';
import { useTimeSkipping } from '../support/conversation-process.ts';
import { expectEventually } from '../support/eventually.ts';

/** A failed process in Temporal's UI shows what failed, what to do, and where the API has more. */
const skipping = useTimeSkipping();

// biome-ignore lint/suspicious/noExplicitAny: activities of all processes.
type Step = (...given: any[]) => Promise<unknown>;

interface Failing {
  input: object;
  activities: Record<string, Step>;
  /** What its failure must contain. */
  told: { what: string; code: string; advice: string; address?: string };
  /** For a process that continues after a failure: its details report it. */
  goesOn?: true;
}

const organizationId = 'org_test';
const address = '/v1/somewhere/it_1';
const nothing = async () => undefined;
const secret = 'Row 7 says "hunter2".';

const failedSnapshot = async () => ({ status: 'failed', rows: 0, errorCode: 'source_failed' });
const maintenance = async () => ({ figures: {}, failures: [], next: null });
const refused = (code: string) => async () => {
  throw ApplicationFailure.create({ type: code, message: secret, nonRetryable: true });
};

/** Processes that are not listed never fail: they wait, and others report on what they wait for. */
const failing: Record<string, Failing> = {
  agentRun: {
    input: { runId: 'run_1' },
    activities: {
      beginAgentRun: nothing,
      endAgentRun: async () => ({ status: 'failed', errorCode: 'turn_timeout' }),
      clearAgentRun: nothing,
    },
    told: { what: 'The run of the analyst', code: 'turn_timeout', advice: 'ask for less' },
  },
  conversation: {
    input: { conversationId: 'cnv_1' },
    activities: {
      advanceConversation: (() => {
        const nexts = [{ kind: 'turn', messageId: 'msg_1', waiting: 0 }];
        return async () => nexts.shift() ?? { kind: 'idle', waiting: 0, isHeld: false };
      })(),
      takeModelStep: refused('storage_unavailable'),
      failTurn: nothing,
    },
    told: {
      what: 'The turn of msg_1',
      code: 'storage_unavailable',
      advice: 'bring it back',
      address: `${address}/messages/msg_1`,
    },
    goesOn: true,
  },
  delivery: {
    input: { deliveryId: 'dlv_1' },
    activities: { attemptDelivery: async () => ({ status: 'failed' }) },
    told: { what: 'The delivery', code: 'delivery_failed', advice: 'retry the delivery' },
  },
  ingestionBatch: {
    input: { batchId: 'bat_1', tableId: 'tbl_1', mode: 'append', expiresAtMs: 0, isReplay: false },
    activities: {
      advanceIngestionBatch: async () => ({
        ...{ status: 'failed', pages: 1, records: 2, errorCode: 'storage_unavailable' },
      }),
      cleanUpIngestionBatch: nothing,
    },
    told: { what: 'The batch of the table tbl_1', code: 'storage_unavailable', advice: 'bring it back' },
  },
  lakeMaintenance: {
    input: {},
    activities: {
      planLakeMaintenance: (() => {
        const waits = [0];
        return async () => ({ waitMs: waits.shift() ?? 30 * 86_400_000 });
      })(),
      beginLakeMaintenanceRun: async () => 'lmr_1',
      flushLakeTables: refused('storage_unavailable'),
      ...{ compactLakeTables: maintenance, expireLakeSnapshots: maintenance },
      ...{ removeOldLakeFiles: maintenance, removeLakeOrphans: maintenance },
      endLakeMaintenanceRun: nothing,
    },
    told: {
      what: 'The step flush of run lmr_1',
      code: 'storage_unavailable',
      advice: 'bring it back',
      address: '/v1/lake-maintenance/runs/lmr_1',
    },
    goesOn: true,
  },
  materialization: {
    input: { runId: 'run_1' },
    activities: {
      claimBuilds: async () => ({ turn: 'begun', ready: ['tbl_1'], isAll: true }),
      stageBuild: refused('BuildFailed'),
      ...{ discardBuild: nothing, endBuild: nothing },
      endMaterialization: async () => ({
        ...{ status: 'failed', built: 0, failed: 1, skipped: 0, errorCode: 'query_too_large' },
      }),
    },
    told: { what: 'The materialization', code: 'query_too_large', advice: 'read less' },
  },
  profile: {
    input: { tableId: 'tbl_1', runId: 'run_1' },
    activities: {
      beginProfile: async () => 'begun',
      computeProfile: refused('query_too_large'),
      endProfile: async () => ({ status: 'failed', errorCode: 'query_too_large' }),
    },
    told: { what: 'The profile', code: 'query_too_large', advice: 'read less' },
  },
  verification: {
    input: { runId: 'run_1' },
    activities: {
      beginVerification: async () => 'begun',
      verifyNextTable: refused('query_too_large'),
      endVerification: async () => ({
        ...{ status: 'failed', outcome: null, tested: 0, errorCode: 'query_too_large' },
      }),
    },
    told: { what: 'The verification', code: 'query_too_large', advice: 'read less' },
  },
  tableExport: {
    input: { exportId: 'exp_1' },
    activities: {
      beginExport: async () => 'begun',
      writeExport: refused('query_too_large'),
      endExport: async () => ({ status: 'failed', rows: 0, bytes: 0, errorCode: 'query_too_large' }),
    },
    told: { what: 'The export', code: 'query_too_large', advice: 'read less' },
  },
  scheduleBackfill: {
    input: { backfillId: 'bkf_1' },
    activities: {
      beginBackfill: async () => ({ kind: 'begun', next: 1, total: 1, maxConcurrency: 1 }),
      endBackfill: async () => 'failed',
    },
    told: { what: 'The backfill', code: 'backfill_failed', advice: 'only_missing' },
  },
  scheduleRun: {
    input: { scheduleRunId: 'srn_1' },
    activities: { beginFire: async () => ({ kind: 'ended', status: 'failed' }) },
    told: { what: 'The scheduled run', code: 'schedule_run_failed', advice: 'run the schedule again' },
  },
  snapshot: {
    input: { datasetId: 'dst_1', runId: 'snp_1' },
    activities: {
      beginSnapshot: async () => 'begun',
      stageSnapshot: refused('source_failed'),
      discardSnapshot: nothing,
      endSnapshot: failedSnapshot,
    },
    told: { what: 'The snapshot', code: 'source_failed', advice: 'test its connection' },
  },
  tableImport: {
    input: { importId: 'imp_1' },
    activities: {
      beginTableImport: async () => true,
      stageTableImport: refused('verification_failed'),
      discardStagedImport: nothing,
      endTableImport: async () => ({
        ...{ status: 'failed', rows: 0, quarantinedRows: 0, errorCode: 'verification_failed' },
      }),
    },
    told: { what: 'The import', code: 'verification_failed', advice: 'correct the rows' },
  },
  workflowRun: {
    input: { runId: 'wfr_1' },
    activities: {
      beginWorkflowRun: nothing,
      endWorkflowRun: async () => ({
        ...{ status: 'failed', errorCode: 'node_timeout', failedNode: { id: 'sales', type: 'query' } },
      }),
    },
    told: {
      what: 'The node sales (query) of the run of the workflow',
      code: 'node_timeout',
      advice: 'resume the run',
    },
  },
};

test('every process that may fail is among them', () => {
  const index = readFileSync(new URL('../../workflows/index.ts', import.meta.url), 'utf8');
  const types = [...index.matchAll(/export \{ (\w+) \}/g)].map(([, type]) => type);
  // Schedules, checks of apps and deletions of organizations never fail; the rotation of a key serves no
  // resource, and has its own test.
  expect(
    [...Object.keys(failing), 'appHealth', 'keyRotation', 'organizationDeletion', 'schedule'].sort(),
  ).toEqual(types.sort());
});

/** The details shown with the process in the UI. */
async function detailsOf(handle: WorkflowHandle): Promise<string> {
  const { currentDetails } = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
  return currentDetails;
}

test.each(Object.keys(failing))(
  'a failure of %s says what failed, by which code, what to do and where to look',
  { timeout: 300_000, retry: 1 },
  async (type) => {
    const { input, activities, told, goesOn } = failing[type]!;
    const { env, workflowBundle } = skipping;
    const connection = env.nativeConnection;
    const worker = (taskQueue: string) =>
      Worker.create({ connection, workflowBundle, taskQueue, activities });
    const [control, lake, agent] = await Promise.all(Object.values(taskQueues).map(worker));
    const work = async () => {
      const handle = await env.client.workflow.start(type, {
        workflowId: `${type}/${randomUUID()}`,
        taskQueue: taskQueues.control,
        args: [{ organizationId, ...input }],
        memo: { address },
      });
      if (goesOn) {
        const wanted = `${told.what}`;
        await expectEventually(() => detailsOf(handle)).toContain(wanted);
        const details = await detailsOf(handle);
        await handle.cancel();
        return { said: details, details };
      }
      const error = await handle.result().catch((failure: unknown) => failure);
      const cause = (error as WorkflowFailedError).cause as ApplicationFailure;
      expect(cause.type).toBe(told.code);
      return { said: cause.message, details: await detailsOf(handle) };
    };
    const { said, details } = await control!.runUntil(lake!.runUntil(agent!.runUntil(work)));
    for (const text of [said, details]) {
      expect(text).toContain(told.what);
      expect(text).toContain(`failed with ${told.code}.`);
      expect(text.toLowerCase()).toContain(told.advice);
      expect(text).toContain(`GET ${told.address ?? address} `);
      expect(text).not.toContain('hunter2');
    }
  },
);
