import { randomUUID } from 'node:crypto';
import { Worker } from '@temporalio/worker';
import { taskQueues } from '../../workflows/task-queues.ts';
import type { Skipping } from '../support/conversation-process.ts';
import { eventually } from '../support/eventually.ts';
import { type Life, organizationId } from './process.ts';

/** Temporal warns of an execution with 10,240 events, and terminates one with 51,200. */
export const maxEvents = 10_000;
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
