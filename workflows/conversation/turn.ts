import { ApplicationFailure } from '@temporalio/common';
import {
  ActivityFailure,
  CancellationScope,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
} from '@temporalio/workflow';
import { taskQueues } from '../task-queues.ts';
import type { ConversationAgentActivities, ConversationControlActivities, TurnInput } from './contract.ts';
import { maxSteps, toolTries, turnTimeoutMs } from './names.ts';

// Database only, seconds at most. Retried without end: a turn must not be left under way in its row.
const control = proxyActivities<
  Pick<ConversationControlActivities, 'failTurn' | 'cancelTurn' | 'failToolCall'>
>({
  taskQueue: taskQueues.control,
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '30 seconds' },
});

// The catalog's versions and a pin, for a turn that could not begin at once. A thousand tries outlast a quarter of an
// hour of an organization that has as many turns under way as it may, which is asked again every second, and hours of a
// lake that is away.
const { beginTurn } = proxyActivities<Pick<ConversationAgentActivities, 'beginTurn'>>({
  taskQueue: taskQueues.agent,
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '10 seconds', maximumAttempts: 1_000 },
});

// An answer may take minutes. Five tries, with what the provider says about when; a crash of the worker is one of them.
const { takeModelStep } = proxyActivities<Pick<ConversationAgentActivities, 'takeModelStep'>>({
  taskQueue: taskQueues.agent,
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 5 },
});

// A query takes two minutes at most. Six tries outlast a busy pool, and a restart of a store; then the model is told.
const { callTool } = proxyActivities<Pick<ConversationAgentActivities, 'callTool'>>({
  taskQueue: taskQueues.agent,
  startToCloseTimeout: '150 seconds',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '10 seconds', maximumAttempts: toolTries },
});

/** Calls of one step that run at once. */
const toolsAtOnce = 4;
/**
 * One turn, to its end in the rows. It may be stopped there at any moment, and then says so to whoever works at it. True
 * where it ended by itself and nothing waited.
 */
export async function takeTurn(
  turn: TurnInput,
  waiting: number,
  scope = new CancellationScope(),
): Promise<boolean> {
  try {
    return await scope.run(async () => {
      const takeAll = () => CancellationScope.withTimeout(turnTimeoutMs, () => takeSteps(turn, waiting));
      let end = await takeAll();
      if (end === 'unbegun') end = (await beginTurn(turn)) ? await takeAll() : 'ended';
      return end === 'quiet';
    });
  } catch (error) {
    const isAsked = CancellationScope.current().consideredCancelled;
    await CancellationScope.nonCancellable(async () => {
      if (!isCancellation(error)) return control.failTurn(turn, codeOf(error));
      // By an operator it ends now; by its own signal its row has ended; by neither, its time was up.
      if (isAsked) return control.cancelTurn(turn);
      if (!scope.consideredCancelled) return control.failTurn(turn, 'turn_timeout');
    });
    return false;
  }
}

async function takeSteps(turn: TurnInput, waiting: number): Promise<'ended' | 'quiet' | 'unbegun'> {
  const where = (what: string) =>
    setCurrentDetails(`Answering ${turn.messageId}: ${what}. ${waiting} waited behind it when it began.`);
  for (let step = 0; step < maxSteps; step += 1) {
    where(`model step ${step + 1}`);
    const outcome = await takeModelStep(turn, step, step === maxSteps - 1);
    if (outcome.kind === 'unbegun') return 'unbegun';
    if (outcome.kind === 'ended') return outcome.isQuiet === true ? 'quiet' : 'ended';
    const calls = [...outcome.partIndexes];
    where(`${calls.length} tools of step ${step + 1}`);
    const lane = async () => {
      for (let index = calls.shift(); index !== undefined; index = calls.shift())
        await callOrFail(turn, index);
    };
    await Promise.all(Array.from({ length: Math.min(toolsAtOnce, calls.length) }, lane));
  }
  throw ApplicationFailure.create({ type: 'turn_step_limit', message: 'The turn took too many steps.' });
}

/** A call that cannot be made is told to the model, which may do without. */
async function callOrFail(turn: TurnInput, partIndex: number): Promise<void> {
  try {
    await callTool(turn, partIndex);
  } catch (error) {
    if (isCancellation(error)) throw error;
    await control.failToolCall(turn, partIndex);
  }
}

/** A code of ours; whatever else went wrong is ours too. */
function codeOf(error: unknown): string {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof ApplicationFailure && cause.type != null ? cause.type : 'internal_error';
}
