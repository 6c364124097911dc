import { ApplicationFailure } from '@temporalio/common';
import {
  ActivityFailure,
  CancellationScope,
  condition,
  proxyActivities,
  setCurrentDetails,
} from '@temporalio/workflow';
import { databaseActivities } from '../../activity-options.ts';
import { always, wasCancelled } from '../../cancellation.ts';
import { whereToDecide } from '../../outcome.ts';
import { taskQueues } from '../../task-queues.ts';
import type { ConversationAgentActivities, ConversationControlActivities, TurnInput } from './contract.ts';
import { maxSteps, toolTries, turnTimeoutMs } from './names.ts';

const control =
  databaseActivities<
    Pick<ConversationControlActivities, 'failTurn' | 'cancelTurn' | 'failToolCall' | 'readDecisions'>
  >();

// Reads versions and creates a pin, for a turn that could not begin at once. A thousand attempts cover an
// hour at the organization's limit of concurrent turns, which is checked every few seconds, and hours of an
// unavailable lake.
const { beginTurn } = proxyActivities<Pick<ConversationAgentActivities, 'beginTurn'>>({
  taskQueue: taskQueues.agent,
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '10 seconds', maximumAttempts: 1_000 },
});

// An answer may take minutes. Five attempts, after the delay that the provider asks for; a worker crash
// counts as one.
const { takeModelStep } = proxyActivities<Pick<ConversationAgentActivities, 'takeModelStep'>>({
  taskQueue: taskQueues.agent,
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 5 },
});

// A query takes at most two minutes. Six attempts cover a busy pool or a restarted store; then the failure is
// reported to the model.
const { callTool } = proxyActivities<Pick<ConversationAgentActivities, 'callTool'>>({
  taskQueue: taskQueues.agent,
  startToCloseTimeout: '150 seconds',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '10 seconds', maximumAttempts: toolTries },
});

/** Concurrent calls of one step. */
const toolsAtOnce = 4;
/** Context of a turn. */
export interface TurnOptions {
  /** Number of messages waiting behind it when it began. */
  waiting?: number;
  /** Cancelled when a person stops the reply. */
  scope?: CancellationScope;
  /** Counts the signals to the conversation; a decision of a person is one. */
  wakes?: () => number;
  /** Called if the process ends the turn as failed. */
  failed?: (code: string) => void;
}

/** The state of a turn: its step, the calls of that step to be made, and whether others wait for a person. */
interface Progress {
  step: number;
  calls?: readonly number[];
  waits: boolean;
}

type TurnEnd = 'ended' | 'quiet' | 'unbegun';

/**
 * Runs one turn until its rows say that it has ended. A Stop may end it there at any time, and cancels
 * `scope`. True if it ended by itself and no message was waiting.
 */
export async function takeTurn(
  turn: TurnInput,
  {
    waiting = 0,
    scope = new CancellationScope(),
    wakes = () => 0,
    failed = () => undefined,
  }: TurnOptions = {},
): Promise<boolean> {
  const takeAll = () => takeSteps(turn, waiting, wakes);
  try {
    return await scope.run(async () => {
      let end = await takeAll();
      if (end === 'unbegun') end = (await beginTurn(turn)) ? await takeAll() : 'ended';
      return end === 'quiet';
    });
  } catch (error) {
    const isAsked = CancellationScope.current().consideredCancelled;
    await always(async () => {
      const fail = (code: string) => {
        failed(code);
        return control.failTurn(turn, code);
      };
      if (!wasCancelled(error)) return fail(codeOf(error));
      // Cancelled by an operator: end it now. Stopped by a person: its row has ended. Neither: it timed out.
      if (isAsked) return control.cancelTurn(turn);
      if (!scope.consideredCancelled) return fail('turn_timeout');
    });
    return false;
  }
}

/** Works for at most ten minutes, not counting the time it waits for a person. */
async function takeSteps(turn: TurnInput, waiting: number, wakes: () => number): Promise<TurnEnd> {
  const progress: Progress = { step: 0, waits: false };
  const where = (what: string) =>
    setCurrentDetails(
      `Answering ${turn.messageId}: ${what}. ${waiting} messages waited behind it when it started.`,
    );
  let leftMs = turnTimeoutMs;
  for (;;) {
    const startedMs = Date.now();
    const end = await CancellationScope.withTimeout(leftMs, () => work(turn, progress, where));
    if (end !== 'waits') return end;
    leftMs = Math.max(1_000, leftMs - (Date.now() - startedMs));
    where(`waits for a person to decide on a call of step ${progress.step + 1} (${whereToDecide()})`);
    if (!(await waitForDecision(turn, progress, wakes))) return 'ended';
  }
}

async function work(
  turn: TurnInput,
  progress: Progress,
  where: (what: string) => void,
): Promise<TurnEnd | 'waits'> {
  for (; progress.step < maxSteps; progress.step += 1) {
    const { step } = progress;
    if (progress.calls === undefined) {
      where(`model step ${step + 1}`);
      const outcome = await takeModelStep(turn, step, step === maxSteps - 1);
      if (outcome.kind === 'unbegun') return 'unbegun';
      if (outcome.kind === 'ended') return outcome.isQuiet === true ? 'quiet' : 'ended';
      progress.calls = outcome.partIndexes;
      progress.waits = outcome.waits === true;
    }
    where(`${progress.calls.length} tools of step ${step + 1}`);
    await callAll(turn, progress.calls);
    if (progress.waits) return 'waits';
    delete progress.calls;
  }
  throw ApplicationFailure.create({ type: 'turn_step_limit', message: 'The turn took too many steps.' });
}

/** Waits until there is a call to make or no decision is open; false if the turn has ended. */
async function waitForDecision(turn: TurnInput, progress: Progress, wakes: () => number): Promise<boolean> {
  for (;;) {
    const seen = wakes();
    const found = await control.readDecisions(turn);
    if (found.kind === 'ended') return false;
    progress.calls = found.partIndexes;
    progress.waits = found.waitMs !== null;
    if (found.waitMs === null || found.partIndexes.length > 0) return true;
    await condition(() => wakes() !== seen, found.waitMs);
  }
}

async function callAll(turn: TurnInput, partIndexes: readonly number[]): Promise<void> {
  const calls = [...partIndexes];
  const lane = async () => {
    for (let index = calls.shift(); index !== undefined; index = calls.shift()) await callOrFail(turn, index);
  };
  await Promise.all(Array.from({ length: Math.min(toolsAtOnce, calls.length) }, lane));
}

/** The failure of a call is reported to the model, which may continue without it. */
async function callOrFail(turn: TurnInput, partIndex: number): Promise<void> {
  try {
    await callTool(turn, partIndex);
  } catch (error) {
    if (wasCancelled(error)) throw error;
    await control.failToolCall(turn, partIndex);
  }
}

/** The service's error code; any other error is internal. */
function codeOf(error: unknown): string {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof ApplicationFailure && cause.type != null ? cause.type : 'internal_error';
}
