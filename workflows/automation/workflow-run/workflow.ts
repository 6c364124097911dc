import { CancellationScope, defineSignal, setCurrentDetails, setHandler, sleep } from '@temporalio/workflow';
import { databaseActivities } from '../../activity-options.ts';
import { always, wasCancelled } from '../../cancellation.ts';
import { continueOnNewest, type Growth, watchGrowth } from '../../history.ts';
import { endAs } from '../../outcome.ts';
import { notifyWaiter } from '../../run-ended.ts';
import { runEndedSignal } from '../schedule-run/names.ts';
import type {
  PlannedNode,
  RunPlan,
  WorkflowRunControlActivities,
  WorkflowRunInput,
  WorkflowRunOutcome,
  WorkflowRunStart,
} from './contract.ts';
import { decidedSignal, nodesAtOnce, resumedSignal } from './names.ts';
import { carriedOut, longestBusySeconds, type Shared } from './node.ts';
import { walk } from './walk.ts';

const control = databaseActivities<WorkflowRunControlActivities>();

const endedSignal = defineSignal<[string?]>(runEndedSignal);
const decided = defineSignal<[string]>(decidedSignal);
const resumed = defineSignal(resumedSignal);

/** More than a hundred nodes that never wait produce. */
const maxEvents = 4_000;

/** A run of an activated version: executes its nodes in the order given by its edges. */
export async function workflowRun({
  deadlines = {},
  ...input
}: WorkflowRunStart): Promise<WorkflowRunOutcome> {
  const growth = watchGrowth(maxEvents);
  const shared: Shared = {
    signalled: new Set(),
    asking: undefined,
    growth,
    deadlines,
    describe: describer(),
  };
  const onSignal = (what?: string) => {
    if (what !== undefined) shared.signalled.add(what);
  };
  setHandler(endedSignal, onSignal);
  setHandler(decided, onSignal);
  let isResumed: boolean;
  setHandler(resumed, () => {
    isResumed = true;
  });
  let outcome: WorkflowRunOutcome;
  // The row becomes failed before this process ends: a run resumed in between is continued by this process.
  do {
    isResumed = false;
    const plan = await begun(input, growth);
    if (plan !== undefined && plan !== 'full') await walkNodes(input, plan.nodes, shared);
    // The state of each node is in its row: the next execution advances all that have not ended.
    if (growth.isFull && !isCancelled()) return continueOnNewest<typeof workflowRun>({ ...input, deadlines });
    outcome = await always(() => control.endWorkflowRun(input, plan === 'full' ? undefined : plan?.resumes));
    await always(() => notifyWaiter(input.waitedBy, input.runId));
  } while (isResumed);
  const { status, errorCode } = outcome;
  endAs(status, errorCode, {
    what: 'The run of the workflow',
    succeeded: 'Every node succeeded or was skipped.',
    cancelled: 'Was cancelled.',
    failedPart: failedPart(outcome),
    failed: 'The run can be resumed from there.',
  });
  return outcome;
}

const failedPart = ({ failedNode }: WorkflowRunOutcome): string =>
  failedNode === undefined
    ? 'The run of the workflow'
    : `The node ${failedNode.id} (${failedNode.type}) of the run of the workflow`;

const isCancelled = () => CancellationScope.current().consideredCancelled;

/**
 * The plan, once the organization has a free slot; undefined if there is nothing to do, or the run was
 * cancelled first.
 */
async function begun(input: WorkflowRunInput, growth: Growth): Promise<RunPlan | 'full' | undefined> {
  let seconds = 1;
  for (;;) {
    const plan = await always(() => control.beginWorkflowRun(input));
    if (plan !== 'crowded') return plan;
    setCurrentDetails('Waits until fewer runs of the organization are in progress.');
    if (growth.look()) return 'full';
    try {
      await sleep(seconds * 1_000, { summary: 'a place' });
    } catch (error) {
      if (wasCancelled(error)) return undefined;
      throw error;
    }
    seconds = Math.min(seconds * 2, longestBusySeconds);
  }
}

function describer(): Shared['describe'] {
  const underWay = new Map<string, string>();
  return (nodeId, doing) => {
    if (doing === undefined) underWay.delete(nodeId);
    else underWay.set(nodeId, doing);
    setCurrentDetails(`In progress: ${[...underWay.values()].join(', ') || 'nothing'}.`);
  };
}

async function walkNodes(input: WorkflowRunInput, nodes: PlannedNode[], shared: Shared): Promise<void> {
  const scope = CancellationScope.current();
  await walk(nodes, nodesAtOnce, {
    isStopped: () => scope.consideredCancelled || shared.growth.isFull,
    skip: (nodeIds) => always(() => control.skipNodes(input, nodeIds)),
    async carryOut(node) {
      shared.describe(node.id, node.label);
      const end = await carriedOut(input, node, shared);
      shared.describe(node.id, undefined);
      return end;
    },
  });
}
