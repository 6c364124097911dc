import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import { nextTurnMs } from '../../domain/automation/workflows/runs/work/child.ts';
import type { PlannedNode } from '../../workflows/automation/workflow-run/contract.ts';
import { taskQueues } from '../../workflows/task-queues.ts';
import type { Skipping } from '../support/conversation-process.ts';
import { eventually } from '../support/eventually.ts';

/** Temporal warns of an execution with 10,240 events, and terminates one with 51,200. */
export const maxEvents = 10_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const yearMs = 366 * dayMs;

// biome-ignore lint/suspicious/noExplicitAny: activities of all processes.
type Step = (...given: any[]) => Promise<unknown>;

/** A process with the activities that keep it going as long as it can. */
export interface Life {
  input: object;
  /** On all queues. */
  activities: Record<string, Step>;
  /** Its minimum lifetime. */
  leastMs: number;
}

type Clock = () => Promise<number>;
const organizationId = 'org_test';
const nothing = async () => undefined;

/** Returns the first until that much time has passed since the first call, and then the second. */
function after<T>(clock: Clock, ms: number, before: () => T, then: () => T): () => Promise<T> {
  let firstMs: number | undefined;
  return async () => {
    const nowMs = await clock();
    firstMs ??= nowMs;
    return nowMs - firstMs < ms ? before() : then();
  };
}

function turns() {
  let left = 15;
  const decided = new Map<string, number>();
  return {
    advanceConversation: async () => {
      left -= 1;
      return left < 0
        ? { kind: 'idle', waiting: 0, isHeld: false }
        : { kind: 'turn', messageId: `msg_${left}`, waiting: 0 };
    },
    beginTurn: async () => true,
    takeModelStep: async (_: unknown, step: number, isLast: boolean) =>
      isLast ? { kind: 'ended' } : { kind: 'tools', partIndexes: [0, 1, 2], waits: step > 0 },
    callTool: nothing,
    // There is no decision on any call until a day is over.
    readDecisions: async ({ messageId }: { messageId: string }) => {
      const looks = (decided.get(messageId) ?? 0) + 1;
      decided.set(messageId, looks);
      return { kind: 'decided', partIndexes: [], waitMs: looks % 2 === 1 ? dayMs : null };
    },
    ...{ failTurn: nothing, cancelTurn: nothing, failToolCall: nothing, removeConversation: nothing },
  };
}

const planned = (id: string, needs: string[], timeoutSeconds: number): PlannedNode => ({
  id,
  label: id,
  needs: needs.map((from) => [{ from, port: 'done' }]),
  timeoutSeconds,
  end: null,
});

/** Waits for a place, for another snapshot, for runs of the analyst, for a person, and finally for a year. */
function walked(clock: Clock): Record<string, Step> {
  const asked = Array.from({ length: 10 }, (_, index) => `asked${index}`);
  const nodes = [
    planned('copy', [], 129_600),
    planned('busy', [], 900),
    ...asked.map((id) => planned(id, ['copy'], 21_600)),
    planned('release', asked, 31 * 86_400),
    planned('wait', ['release'], 400 * 86_400),
  ];
  const begunMs = new Map<string, number>();
  const ends = new Map<string, PlannedNode['end']>();
  const done = (id: string) => {
    const end = { status: 'succeeded' as const, ports: ['done'] };
    ends.set(id, end);
    return { kind: 'ended', end };
  };
  const advanceNode = async ({ nodeId }: { nodeId: string }) => {
    const nowMs = await clock();
    if (!begunMs.has(nodeId)) begunMs.set(nodeId, nowMs);
    const waitedMs = nowMs - begunMs.get(nodeId)!;
    const until = (wholeMs: number, waitMs = wholeMs - waitedMs) =>
      waitedMs >= wholeMs ? done(nodeId) : { kind: 'waiting', what: 'it', untilMs: nowMs + waitMs };
    if (nodeId === 'busy') return { kind: 'busy' };
    if (nodeId === 'copy') return until(35 * hourMs, nextTurnMs(waitedMs));
    if (nodeId === 'release') return until(30 * dayMs);
    if (nodeId === 'wait') return until(yearMs);
    return until(5.5 * hourMs, 300_000);
  };
  return {
    beginWorkflowRun: after<unknown>(
      clock,
      dayMs,
      () => 'crowded',
      () => ({ nodes: nodes.map((node) => ({ ...node, end: ends.get(node.id) ?? null })), resumes: 0 }),
    ),
    skipNodes: nothing,
    endNode: async ({ nodeId }: { nodeId: string }) => {
      ends.set(nodeId, { status: 'failed', ports: [] });
      return { status: 'failed', ports: [] };
    },
    endWorkflowRun: async () => ({ status: 'failed', errorCode: 'node_timeout' }),
    advanceNode,
  };
}

function pages(clock: Clock) {
  let left = 60;
  return {
    beginSnapshot: after(
      clock,
      dayMs,
      () => 'waiting',
      () => 'begun',
    ),
    stageSnapshot: async () => {
      left -= 1;
      return { rows: 1, ...(left > 0 ? { goesOnAfterMs: 12 * hourMs } : {}) };
    },
    admitSnapshot: async (_: unknown, isOverdue: boolean) => (isOverdue ? 'ended' : 'held'),
    commitSnapshot: async () => ({ status: 'failed', rows: 0, errorCode: 'snapshot_not_confirmed' }),
    discardSnapshot: nothing,
    endSnapshot: async () => ({ status: 'failed', rows: 0, errorCode: 'snapshot_not_confirmed' }),
  };
}

function maintained(clock: Clock) {
  const step = async () => ({ figures: {}, failures: [], next: null });
  const over = () => {
    throw ApplicationFailure.nonRetryable('The year is over.');
  };
  return {
    planLakeMaintenance: after(clock, yearMs, () => ({ waitMs: 2 * dayMs }), over),
    beginLakeMaintenanceRun: async () => randomUUID(),
    ...{ flushLakeTables: step, compactLakeTables: step, expireLakeSnapshots: step },
    ...{ removeOldLakeFiles: step, removeLakeOrphans: step, endLakeMaintenanceRun: nothing },
  };
}

/** Every process for its longest lifetime, at most a year. */
export const lives: Record<string, (clock: Clock) => Promise<Life> | Life> = {
  // Checks its apps twice a minute for half a day, until the last one is removed.
  appHealth: (clock) => ({
    input: {},
    activities: {
      checkDueApps: after<unknown>(
        clock,
        12 * hourMs,
        () => ({ apps: 3, live: 2, waitMs: 30_000 }),
        () => ({ apps: 0, live: 0, waitMs: null }),
      ),
    },
    leastMs: 12 * hourMs,
  }),
  agentRun: () => ({
    input: { runId: 'run_1' },
    activities: {
      ...turns(),
      readDecisions: async () => ({ kind: 'decided', partIndexes: [], waitMs: null }),
      beginAgentRun: async () => ({ organizationId, conversationId: 'cnv_1', messageId: 'msg_1' }),
      deliverAgentRun: async () => ({ status: 'succeeded', errorCode: null }),
      clearAgentRun: nothing,
    },
    leastMs: 0,
  }),
  conversation: () => ({ input: { conversationId: 'cnv_1' }, activities: turns(), leastMs: 330 * dayMs }),
  // A worker without a free place for it is asked repeatedly.
  delivery: (clock) => ({
    input: { deliveryId: 'dlv_1' },
    activities: {
      attemptDelivery: after<unknown>(
        clock,
        10 * dayMs,
        () => ({ status: 'pending', retryAfterMs: 900_000 }),
        () => ({ status: 'delivered' }),
      ),
    },
    leastMs: 10 * dayMs,
  }),
  ingestionBatch: async (clock) => {
    const expiresAtMs = (await clock()) + yearMs;
    const state = { pages: 0, records: 0, errorCode: null };
    return {
      input: { batchId: 'bat_1', tableId: 'tbl_1', mode: 'append', expiresAtMs, isReplay: false },
      activities: {
        advanceIngestionBatch: after(
          clock,
          yearMs - dayMs,
          () => ({ ...state, status: 'open' }),
          () => ({ ...state, status: 'expired' }),
        ),
        expireIngestionBatch: nothing,
        cleanUpIngestionBatch: nothing,
      },
      leastMs: yearMs - dayMs,
    };
  },
  // A process with the old list of keys goes on writing for an hour, and each pass finds another value.
  keyRotation: (clock) => {
    const left = after(
      clock,
      hourMs,
      () => 1,
      () => 0,
    );
    const some = { column: 'lakes.reader_password', keyId: 'old', count: 1 };
    return {
      input: { keyId: 'new' },
      activities: {
        countSealedValues: async () => ({ counts: [{ ...some, count: await left() }], next: null }),
        resealValues: async () => ({ resealed: [some], changed: [], unopened: [], next: null }),
      },
      leastMs: hourMs,
    };
  },
  lakeMaintenance: (clock) => ({ input: {}, activities: maintained(clock), leastMs: yearMs }),
  // Waits for its turn behind others for half a day, and then builds 300 tables.
  materialization: (clock) => {
    let left = 300;
    return {
      input: { runId: 'run_1' },
      activities: {
        claimBuilds: after(
          clock,
          12 * hourMs,
          () => ({ turn: 'waiting', ready: [], isAll: true }),
          () => ({ turn: 'begun', ready: ['tbl_300', 'tbl_299'], isAll: false }),
        ),
        nextBuilds: async () => (left > 0 ? [`tbl_${left}`, `tbl_${left - 1}`] : []),
        stageBuild: async () => ({ rows: 1 }),
        commitBuild: async () => {
          left -= 1;
          return true;
        },
        discardBuild: nothing,
        endBuild: nothing,
        endMaterialization: async () => ({
          ...{ status: 'succeeded', built: 300, failed: 0, skipped: 0, errorCode: null },
        }),
      },
      leastMs: 12 * hourMs,
    };
  },
  // Waits for a year, and then for backups for a day.
  organizationDeletion: async (clock) => {
    const dueMs = (await clock()) + yearMs;
    return {
      input: { organizationId },
      activities: {
        async beginDeletion() {
          const waitMs = dueMs - (await clock());
          if (waitMs <= 0) return { kind: 'begun', lake: 'lak_1' };
          return { kind: 'waits', dueAt: new Date(dueMs).toISOString(), waitMs };
        },
        endProcesses: async () => 0,
        ...{ endCredentials: nothing, endLakeSessions: nothing },
        removeLakeTables: async () => ({ tables: 0, left: null }),
        removeLakeRoles: async () => [],
        removeRows: async () => ({ rows: 0, next: null }),
        removeObjects: after(
          clock,
          dayMs,
          () => 'held',
          () => 'removed',
        ),
        finishDeletion: async () => 'gone',
      },
      leastMs: yearMs + dayMs,
    };
  },
  // Waits for its turn behind others for a day.
  profile: (clock) => ({
    input: { tableId: 'tbl_1', runId: 'run_1' },
    activities: {
      beginProfile: after(
        clock,
        dayMs,
        () => 'waiting',
        () => 'begun',
      ),
      computeProfile: async () => ({ status: 'succeeded', errorCode: null }),
      endProfile: nothing,
    },
    leastMs: dayMs,
  }),
  schedule: (clock) => {
    const isOver = after(
      clock,
      yearMs,
      () => false,
      () => true,
    );
    return {
      input: { scheduleId: 'sch_1' },
      activities: {
        advanceSchedule: async (_: unknown, nowMs: number) =>
          (await isOver())
            ? { kind: 'done' }
            : { kind: 'wait', atMs: nowMs + dayMs, localTime: '', zoneId: 'UTC' },
      },
      leastMs: yearMs,
    };
  },
  // Its fires run for a year, and were begun by an earlier process of it.
  scheduleBackfill: (clock) => ({
    input: { backfillId: 'bkf_1' },
    activities: {
      beginBackfill: async () => ({ kind: 'begun', next: 1, total: 1, maxConcurrency: 1 }),
      endBackfill: after(
        clock,
        yearMs,
        () => 'running',
        () => 'succeeded',
      ),
    },
    leastMs: yearMs,
  }),
  scheduleRun: (clock) => ({
    input: { scheduleRunId: 'srn_1' },
    activities: {
      beginFire: async () => ({ kind: 'running', runId: 'wfr_1' }),
      collectFire: after<unknown>(
        clock,
        yearMs,
        () => ({ kind: 'running', runId: 'wfr_1' }),
        () => ({ kind: 'ended', status: 'succeeded' }),
      ),
    },
    leastMs: yearMs,
  }),
  snapshot: (clock) => ({
    input: { datasetId: 'dst_1', runId: 'snp_1' },
    activities: pages(clock),
    leastMs: 31 * dayMs,
  }),
  // A store that is unavailable for all of its attempts.
  tableImport: () => {
    let tries = 0;
    const ended = { status: 'succeeded', rows: 1, quarantinedRows: 0, errorCode: null };
    return {
      input: { importId: 'imp_1' },
      activities: {
        beginTableImport: async () => true,
        stageTableImport: async () => {
          tries += 1;
          if (tries < 20) throw new Error('The store is away.');
          return { rows: 1, quarantinedRows: 0 };
        },
        commitTableImport: async () => ended,
      },
      // Retry delays are not exact.
      leastMs: hourMs / 2,
    };
  },
  // Waits for its turn behind others for half a day, and then tests as many tables as a run may have.
  verification: (clock) => {
    let left = 1_000;
    return {
      input: { runId: 'run_1' },
      activities: {
        beginVerification: after(
          clock,
          12 * hourMs,
          () => 'waiting',
          () => 'begun',
        ),
        verifyNextTable: async () => {
          left -= 1;
          return left;
        },
        endVerification: async () => ({
          ...{ status: 'succeeded', outcome: 'passed', tested: 1_000, errorCode: null },
        }),
      },
      leastMs: 12 * hourMs,
    };
  },
  // Waits for its turn for half a day, then for a process, and then for a store that is away.
  tableExport: (clock) => {
    let tries = 0;
    return {
      input: { exportId: 'exp_1' },
      activities: {
        beginExport: after(
          clock,
          12 * hourMs,
          () => 'waiting',
          () => 'begun',
        ),
        writeExport: async () => {
          tries += 1;
          if (tries < 20) throw new Error('The store is away.');
        },
        endExport: async () => ({ status: 'succeeded', rows: 1, bytes: 1, errorCode: null }),
      },
      leastMs: 12 * hourMs,
    };
  },
  workflowRun: (clock) => ({
    input: { runId: 'wfr_1' },
    activities: walked(clock),
    leastMs: yearMs + 32 * dayMs,
  }),
};

/** A chain that has continued so often does the same again; what comes after is not waited for. */
export const enoughExecutions = 4;

/** The number of events of each execution of a chain, and its lifetime by the skipping clock. */
export async function lived({ env, workflowBundle }: Skipping, type: string, { input, activities }: Life) {
  const connection = env.nativeConnection;
  const worker = (taskQueue: string) => Worker.create({ connection, workflowBundle, taskQueue, activities });
  const [control, lake, agent] = await Promise.all(Object.values(taskQueues).map(worker));
  const work = async () => {
    const first = await env.client.workflow.start(type, {
      workflowId: `${type}/${randomUUID()}`,
      taskQueue: taskQueues.control,
      args: [{ organizationId, ...input }],
    });
    const beganMs = await env.currentTimeMs();
    const over = first.result().catch(() => undefined);
    await Promise.race([over, untilContinued(first.workflowId)]);
    const tookMs = (await env.currentTimeMs()) - beganMs;
    const events: number[] = [];
    for (let runId: string | undefined = first.firstExecutionRunId; runId !== undefined; ) {
      const history = await env.client.workflow.getHandle(first.workflowId, runId).fetchHistory();
      events.push(history.events!.length);
      const last = history.events!.at(-1);
      runId = last?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
    }
    return { events, tookMs };
  };
  return control!.runUntil(lake!.runUntil(agent!.runUntil(work)));

  /** Ends the chain once it has continued often enough. */
  async function untilContinued(workflowId: string): Promise<void> {
    const chain = env.client.workflow.getHandle(workflowId);
    const runIds = new Set<string>();
    const look = async () => {
      const { runId, status } = await chain.describe();
      runIds.add(runId);
      return status.name === 'RUNNING' || status.name === 'CONTINUED_AS_NEW';
    };
    const patience = { timeoutMs: 480_000, everyMs: 200 };
    const goesOn = await eventually(look, (isOpen) => !isOpen || runIds.size >= enoughExecutions, patience);
    if (!goesOn) return;
    await chain.terminate();
  }
}
