import { Worker } from '@temporalio/worker';
import { beforeAll, expect } from 'vitest';
import { inOrganization } from '../../data/postgres/client.ts';
import { advanceSchedule } from '../../domain/automation/schedules/advance.ts';
import { pauseByProcess, resumeByProcess } from '../../domain/automation/schedules/pause.ts';
import { type Cadence, nextOccurrence, type Occurrence } from '../../packages/cadences/index.ts';
import type {
  ScheduleControlActivities,
  ScheduleInput,
} from '../../workflows/automation/schedule/contract.ts';
import { scheduleWorkflowType } from '../../workflows/automation/schedule/names.ts';
import { taskQueues } from '../../workflows/task-queues.ts';
import { useTimeSkipping } from '../support/conversation-process.ts';
import { projectOf } from '../support/conversations.ts';
import { eventually } from '../support/eventually.ts';
import { madeSchedule, writtenPlaybook } from '../support/schedules.ts';
import { type TestClient, useWorkspace } from '../support/workspace.ts';

const dayMs = 86_400_000;

function during(cadence: Cadence, fromMs: number, toMs: number, createdAtMs: number): Occurrence[] {
  const found: Occurrence[] = [];
  for (let afterMs = fromMs; ; afterMs = found.at(-1)!.atMs) {
    const next = nextOccurrence(cadence, afterMs, createdAtMs);
    if (next === undefined || next.atMs > toMs) return found;
    found.push(next);
  }
}

/** The process of a schedule over its real rows, with a clock that jumps from fire to fire through a year. */
export function useYear() {
  const workspace = useWorkspace();
  const skipping = useTimeSkipping();
  let client: TestClient;
  let project: string;
  let playbook: string;

  beforeAll(async () => {
    client = await workspace.organization();
    project = await projectOf(client);
    playbook = await writtenPlaybook(client, project);
  });

  const query = <T>(work: Parameters<typeof inOrganization<T>>[2]) =>
    inOrganization(workspace.deps.db, client.organizationId, work);

  /** Every fire's run ends at once. */
  async function endRuns(): Promise<void> {
    await query((db) =>
      db.updateTable('schedule_runs').set({ status: 'succeeded' }).where('status', '=', 'running').execute(),
    );
  }

  const deps = () => ({
    ...workspace.deps,
    processes: { ...workspace.deps.processes, restart: async () => undefined },
  });

  function activities(change: Partial<ScheduleControlActivities> = {}): ScheduleControlActivities {
    return {
      advanceSchedule: async (input, nowMs) => {
        const next = await advanceSchedule(deps(), input, nowMs);
        await endRuns();
        return next;
      },
      pauseSchedule: (input, nowMs) => pauseByProcess(workspace.deps.db, input, nowMs),
      resumeSchedule: (input, nowMs) => resumeByProcess(workspace.deps.db, input, nowMs),
      ...change,
    };
  }

  /** A schedule with that cadence, as if it had been written at the server's current time. */
  async function begun(cadence: Cadence): Promise<{ input: ScheduleInput; fromMs: number }> {
    const { id } = await madeSchedule(client, project, playbook);
    const fromMs = await skipping.env.currentTimeMs();
    await query((db) =>
      db
        .updateTable('schedules')
        .set({
          cadence: JSON.stringify(cadence),
          considered_until: new Date(fromMs),
          created_at: new Date(fromMs),
        })
        .where('id', '=', id)
        .execute(),
    );
    return { input: { organizationId: client.organizationId, scheduleId: id }, fromMs };
  }

  const firesOf = ({ scheduleId }: ScheduleInput) =>
    query((db) =>
      db
        .selectFrom('schedule_runs')
        .select(['local_time', 'scheduled_for', 'fired_at', 'status'])
        .where('schedule_id', '=', scheduleId)
        .orderBy('scheduled_for')
        .execute(),
    );

  async function throughAYear(
    cadences: readonly Cadence[],
    change: Partial<ScheduleControlActivities> = {},
  ): Promise<void> {
    const { env, workflowBundle } = skipping;
    const worker = await Worker.create({
      connection: env.nativeConnection,
      workflowBundle,
      taskQueue: taskQueues.control,
      activities: activities(change),
    });
    await worker.runUntil(async () => {
      // Sequentially: the server miscounts what holds its clock if several are active in one jump.
      for (const cadence of cadences) await oneYear(cadence);
    });
  }

  async function oneYear(cadence: Cadence): Promise<void> {
    const { env } = skipping;
    const { input, fromMs } = await begun(cadence);
    const untilMs = fromMs + 367 * dayMs;
    const handle = await env.client.workflow.start(scheduleWorkflowType, {
      workflowId: `schedule/${input.scheduleId}`,
      taskQueue: taskQueues.control,
      args: [input],
    });
    await env.sleep(untilMs - (await env.currentTimeMs()));
    await handle.cancel();
    // Its result is not awaited: the clock would jump to any other timer.
    await eventually(
      () => handle.describe(),
      ({ status }) => status.name !== 'RUNNING',
    );
    const fires = await firesOf(input);
    const wanted = during(cadence, fromMs, untilMs, fromMs);
    const name = `${cadence.type} in ${cadence.zoneId}`;
    expect(
      fires.map((fire) => [fire.local_time, fire.scheduled_for.getTime()]),
      name,
    ).toEqual(wanted.map(({ localTime, atMs }) => [localTime, atMs]));
    expect(new Set(fires.map(({ status }) => status)), name).toEqual(new Set(['succeeded']));
    const late = fires.map((fire) => fire.fired_at!.getTime() - fire.scheduled_for.getTime());
    expect(Math.min(...late), name).toBeGreaterThanOrEqual(0);
    expect(Math.max(...late), name).toBeLessThan(60_000);
  }

  /** Every tenth answer of the step is lost after it was done. */
  function losingAnswers(): Partial<ScheduleControlActivities> {
    let calls = 0;
    return {
      advanceSchedule: async (input, nowMs) => {
        const next = await advanceSchedule(deps(), input, nowMs);
        await endRuns();
        calls += 1;
        if (calls % 10 === 0) throw new Error('The answer is lost.');
        return next;
      },
    };
  }

  return { throughAYear, losingAnswers };
}
