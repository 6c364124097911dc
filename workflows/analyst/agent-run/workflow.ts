import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import { databaseActivities } from '../../activity-options.ts';
import { always } from '../../cancellation.ts';
import { endAs } from '../../outcome.ts';
import { notifyWaiter } from '../../run-ended.ts';
import { taskQueues } from '../../task-queues.ts';
import { takeTurn } from '../conversation/turn.ts';
import type {
  AgentRunAgentActivities,
  AgentRunControlActivities,
  AgentRunInput,
  AgentRunOutcome,
} from './contract.ts';

const control = databaseActivities<AgentRunControlActivities>();

// A few megabytes to the object store and a transaction. Retried without limit, because the result was
// expensive.
const store = proxyActivities<AgentRunAgentActivities>({
  taskQueue: taskQueues.agent,
  startToCloseTimeout: '2 minutes',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '1 minute' },
});

/** The analyst answers without a person; its answer becomes a report or a file. */
export async function agentRun(input: AgentRunInput): Promise<AgentRunOutcome> {
  const outcome = await run(input);
  await always(async () => {
    await notifyWaiter(input.waitedBy, input.runId);
    await store.clearAgentRun(input);
  });
  const { status, errorCode } = outcome;
  endAs(status, errorCode, {
    what: 'The run of the analyst',
    succeeded: 'Delivered the result.',
    cancelled: 'Was cancelled and delivered nothing.',
    failed: 'It delivered nothing.',
  });
  return outcome;
}

async function run(input: AgentRunInput): Promise<AgentRunOutcome> {
  const turn = await always(() => control.beginAgentRun(input));
  if (turn === undefined) return always(() => control.endAgentRun(input));
  await takeTurn(turn);
  setCurrentDetails('Storing the result.');
  return always(() => store.deliverAgentRun(input));
}
