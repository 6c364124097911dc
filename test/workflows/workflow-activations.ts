import { Worker } from '@temporalio/worker';
import { expect } from 'vitest';
import { inOrganization } from '../../data/postgres/client.ts';
import { advanceSchedule } from '../../domain/automation/schedules/advance.ts';
import { pauseByProcess, resumeByProcess } from '../../domain/automation/schedules/pause.ts';
import type { ScheduleControlActivities } from '../../workflows/automation/schedule/contract.ts';
import { scheduleWorkflowType } from '../../workflows/automation/schedule/names.ts';
import { taskQueues } from '../../workflows/task-queues.ts';
import type { Skipping } from '../support/conversation-process.ts';
import { projectOf } from '../support/conversations.ts';
import { eventually } from '../support/eventually.ts';
import { graphOf, node, workflowsOf } from '../support/workflows.ts';
import type { Workspace } from '../support/workspace.ts';

const dayMs = 86_400_000;
/**
 * The process of a trigger's schedule over its real rows, with a clock that jumps from fire to fire: three
 * activations between and during each of so many fires.
 */
export async function activateBetweenFires(
  workspace: Workspace,
  skipping: Skipping,
  fires: number,
): Promise<void> {
  const { deps } = workspace;
  const { env, workflowBundle } = skipping;
  const client = await workspace.organization();
  const { organizationId } = client;
  const project = await projectOf(client);
  const { draft, activate } = workflowsOf(client, () => project);
  // Far from the start and end of the clock, so that the number of days is exact.
  const timeOfDay = new Date((await env.currentTimeMs()) + dayMs / 2).toISOString().slice(11, 16);
  const schedule = { type: 'daily', zone_id: 'UTC', time_of_day: timeOfDay };
  const graph = graphOf([node('one', 'query', { sql: 'SELECT 1 AS one' })]);
  let workflow = await activate(await draft(graph, { triggers: [{ type: 'schedule', schedule }] }));
  let activations = 1;
  async function activateAgain(): Promise<string> {
    workflow = await activate(workflow);
    activations += 1;
    return workflow.activeVersionId;
  }

  const query = <T>(work: Parameters<typeof inOrganization<T>>[2]) =>
    inOrganization(deps.db, organizationId, work);
  const fromMs = await env.currentTimeMs();
  const { id: scheduleId } = await query((db) =>
    db
      .updateTable('schedules')
      .set({ considered_until: new Date(fromMs) })
      .where('workflow_id', '=', workflow.id)
      .returning('id')
      .executeTakeFirstOrThrow(),
  );
  const input = { organizationId, scheduleId };
  const withoutFires = { ...deps, processes: { ...deps.processes, restart: async () => undefined } };
  /** The active versions before and after each activation during which a fire was recorded. */
  const met: string[][] = [];
  const activities: ScheduleControlActivities = {
    advanceSchedule: async (_input, nowMs) => {
      const before = workflow.activeVersionId;
      const [next, after] = await Promise.all([advanceSchedule(withoutFires, input, nowMs), activateAgain()]);
      met.push([before, after]);
      await query((db) =>
        db
          .updateTable('schedule_runs')
          .set({ status: 'succeeded' })
          .where('status', '=', 'running')
          .execute(),
      );
      await activateAgain();
      await activateAgain();
      return next;
    },
    pauseSchedule: (_input, nowMs) => pauseByProcess(deps.db, input, nowMs),
    resumeSchedule: (_input, nowMs) => resumeByProcess(deps.db, input, nowMs),
  };
  const worker = await Worker.create({
    connection: env.nativeConnection,
    workflowBundle,
    taskQueue: taskQueues.control,
    activities,
  });
  await worker.runUntil(async () => {
    const handle = await env.client.workflow.start(scheduleWorkflowType, {
      workflowId: `schedule/${scheduleId}`,
      taskQueue: taskQueues.control,
      args: [input],
    });
    // On a slow machine the clock may run on beyond a sleep, so there may be more fires than were waited for.
    while (met.length <= fires) await env.sleep(dayMs);
    await handle.cancel();
    await eventually(
      () => handle.describe(),
      ({ status }) => status.name !== 'RUNNING',
    );
  });

  const recorded = await query((db) =>
    db
      .selectFrom('schedule_runs')
      .select(['local_time', 'status', 'version_id'])
      .where('schedule_id', '=', scheduleId)
      .orderBy('scheduled_for')
      .execute(),
  );
  expect(activations).toBeGreaterThanOrEqual(3 * fires);
  expect(recorded.length).toBeGreaterThanOrEqual(fires);
  expect(new Set(recorded.map(({ status }) => status))).toEqual(new Set(['succeeded']));
  const days = recorded.map(({ local_time }) => Date.parse(`${local_time}Z`));
  expect(days).toEqual(days.map((_, day) => days[0]! + day * dayMs));
  // The first round fired nothing; each later one fired a version that was active during it.
  expect(met).toHaveLength(recorded.length + 1);
  for (const [day, { version_id }] of recorded.entries()) expect(met[day + 1]).toContain(version_id);
}
