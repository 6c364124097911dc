import { nextTurnMs } from '../../../domain/automation/workflows/runs/work/child.ts';
import type { PlannedNode } from '../../../workflows/automation/workflow-run/contract.ts';
import {
  after,
  type Clock,
  dayMs,
  hourMs,
  nothing,
  type Step,
  type TestedProcess,
  yearMs,
} from '../process.ts';

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

export const process: TestedProcess = {
  type: 'workflowRun',
  life: (clock) => ({
    input: { runId: 'wfr_1' },
    activities: walked(clock),
    leastMs: yearMs + 32 * dayMs,
  }),
  failure: {
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
