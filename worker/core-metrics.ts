import type { MetricsBuffer } from '@temporalio/worker';
import { counter, gauge, histogram, longSeconds } from '../data/telemetry/instruments.ts';

const ended = counter(
  'workspace.process.ended',
  '{process}',
  'Workflows that ended, by type and outcome: completed, failed, cancelled or continued as new.',
);
const durations = histogram(
  'workspace.process.duration',
  's',
  'Time from the start of a workflow to its end, by type.',
  longSeconds,
);
const waits = histogram(
  'workspace.task_queue.wait.duration',
  's',
  'Time that a task waited in its queue for a worker, by kind of task: workflow or activity.',
);
const slots = gauge(
  'workspace.task_queue.slots',
  '{slot}',
  'Tasks that a worker can take or has taken, by queue, kind of task and state: available or used.',
);
const failures = counter(
  'workspace.activity.failures',
  '{attempt}',
  'Attempts of activities that failed, by type. Most are retried.',
);
const stuck = counter(
  'workspace.process.task_failures',
  '{attempt}',
  'Attempts to continue a workflow that failed, by type.',
);

type Tags = Readonly<Record<string, string | number | boolean>>;
type Take = (value: number, tags: Tags) => void;

const process = (outcome: string): Take => {
  return (value, { workflow_type: kind = '' }) => ended.add(value, { kind, outcome });
};
const wait = (task: string): Take => {
  return (value, { task_queue: queue = '' }) => waits.record(value, { task_queue: queue, task });
};
/** Local activities are not used. */
const slotTasks: Readonly<Record<string, string>> = {
  WorkflowWorker: 'workflow',
  ActivityWorker: 'activity',
};

const slot = (state: string): Take => {
  return (value, { task_queue: queue = '', worker_type: type = '' }) => {
    const task = slotTasks[String(type)];
    if (task !== undefined) slots.record(value, { task_queue: queue, task, state });
  };
};

/** What is taken over, by the SDK's names; the rest is about the SDK itself. */
const taken: Readonly<Record<string, Take>> = {
  workflow_completed: process('completed'),
  workflow_failed: process('failed'),
  workflow_canceled: process('cancelled'),
  workflow_continue_as_new: process('continued'),
  workflow_endtoend_latency: (value, { workflow_type: kind = '' }) => durations.record(value, { kind }),
  workflow_task_schedule_to_start_latency: wait('workflow'),
  activity_schedule_to_start_latency: wait('activity'),
  worker_task_slots_available: slot('available'),
  worker_task_slots_used: slot('used'),
  activity_execution_failed: (value, { activity_type: type = '' }) => failures.add(value, { type }),
  workflow_task_execution_failed: (value, { workflow_type: kind = '' }) => stuck.add(value, { kind }),
};

/** Far more than what happens between two looks. */
export const bufferOptions = { maxBufferSize: 100_000, useSecondsForDurations: true };
const everyMs = 1_000;

/** Takes over what Temporal's SDK measures in this process. */
export function takeCoreMetrics(buffer: MetricsBuffer): { stop(): void } {
  const take = () => {
    for (const { metric, value, attributes } of buffer.retrieveUpdates())
      taken[metric.name.replace(/^temporal_/, '')]?.(value, attributes);
  };
  const timer = setInterval(take, everyMs);
  return {
    stop() {
      clearInterval(timer);
      take();
    },
  };
}
