import { ApplicationFailure } from '@temporalio/common';
import {
  ActivityFailure,
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { endAsCancelled, tellOutcome } from '../outcome.ts';
import { taskQueues } from '../task-queues.ts';
import type {
  ConversationAgentActivities,
  ConversationControlActivities,
  ConversationInput,
  ConversationNext,
  TurnInput,
} from './contract.ts';
import { maxSteps, stopReplySignal, toolTries, turnTimeoutMs, wakeConversationSignal } from './names.ts';

// Database only, seconds at most. Retried without end: a conversation must not be left between two states.
const control = proxyActivities<ConversationControlActivities>({
  taskQueue: taskQueues.control,
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '30 seconds' },
});

// The catalog's versions and a pin. A thousand tries outlast a quarter of an hour of an organization that has as many
// turns under way as it may, which is asked again every second, and hours of a lake that is away.
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
const maxHistoryLength = 2_000;
/** A conversation that nobody talks to gives its process up; the next message starts another. */
const idleFor = '1 hour';

export const wakeSignal = defineSignal(wakeConversationSignal);
export const stopSignal = defineSignal<[string]>(stopReplySignal);

/**
 * A conversation takes its turns one after the other, as its rows say. A signal only says that they are worth a look:
 * what is asked, waits, was stopped or is held stands there.
 */
export async function conversation(input: ConversationInput): Promise<void> {
  let isAwake = false;
  let turn: { messageId: string; scope: CancellationScope } | undefined;
  setHandler(wakeSignal, () => {
    isAwake = true;
  });
  setHandler(stopSignal, (messageId) => {
    isAwake = true;
    if (turn?.messageId === messageId) turn.scope.cancel();
  });
  for (;;) {
    const { historyLength, continueAsNewSuggested } = workflowInfo();
    if (historyLength > maxHistoryLength || continueAsNewSuggested)
      return continueAsNew<typeof conversation>(input);
    isAwake = false;
    let next = await CancellationScope.nonCancellable(() => control.advanceConversation(input));
    describe(next);
    if (next.kind === 'turn') {
      const scope = new CancellationScope();
      turn = { messageId: next.messageId, scope };
      const isQuiet = await takeTurn({ ...input, messageId: next.messageId }, next.waiting, scope);
      turn = undefined;
      // Whatever came since has been told by a signal, or is found by the reconciler.
      if (isQuiet && !isAwake) {
        next = { kind: 'idle', waiting: 0, isHeld: false };
        describe(next);
      }
    }
    switch (next.kind) {
      case 'turn':
        break;
      case 'idle':
        if (!(await waitForNews(() => isAwake))) {
          tellOutcome('idle', 'Nobody said anything for an hour; the next message starts a new process.');
          return;
        }
        break;
      case 'deleted':
        await CancellationScope.nonCancellable(() => control.removeConversation(input));
        tellOutcome('deleted', 'The conversation was deleted, with everything that belonged to it.');
        return;
      default:
        tellOutcome('gone', 'The conversation is no more.');
        return;
    }
    endAsCancelled('The conversation');
  }
}

/** False when it stayed quiet for so long that the process may end. */
async function waitForNews(isAwake: () => boolean): Promise<boolean> {
  try {
    await condition(isAwake, idleFor);
  } catch (error) {
    if (!isCancellation(error)) throw error;
    // An operator ended it: there is nothing under way.
    endAsCancelled('The conversation');
  }
  return isAwake();
}

/**
 * One turn, to its end in the rows. It may be stopped there at any moment, and then says so to whoever works at it. True
 * where it ended by itself and nothing waited.
 */
async function takeTurn(turn: TurnInput, waiting: number, scope: CancellationScope): Promise<boolean> {
  try {
    return await scope.run(async () => {
      if (!(await beginTurn(turn))) return false;
      return CancellationScope.withTimeout(turnTimeoutMs, () => takeSteps(turn, waiting));
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

async function takeSteps(turn: TurnInput, waiting: number): Promise<boolean> {
  const where = (what: string) =>
    setCurrentDetails(`Answering ${turn.messageId}: ${what}. ${waiting} waited behind it when it began.`);
  for (let step = 0; step < maxSteps; step += 1) {
    where(`model step ${step + 1}`);
    const outcome = await takeModelStep(turn, step, step === maxSteps - 1);
    if (outcome.kind === 'ended') return outcome.isQuiet === true;
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

/** What the operator reads beside the process. */
function describe(next: ConversationNext): void {
  if (next.kind === 'turn')
    setCurrentDetails(`Answering ${next.messageId}; ${next.waiting} messages wait behind it.`);
  if (next.kind === 'idle') {
    setCurrentDetails(
      next.isHeld
        ? `Held by a Stop with ${next.waiting} messages waiting, until somebody resumes the queue.`
        : 'Waits for a message.',
    );
  }
}
