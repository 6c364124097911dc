import { ApplicationFailure } from '@temporalio/common';
import {
  ActivityFailure,
  CancellationScope,
  condition,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
} from '@temporalio/workflow';
import { databaseActivities } from '../../activity-options.ts';
import { whereToDecide } from '../../outcome.ts';
import { taskQueues } from '../../task-queues.ts';
import type { ConversationAgentActivities, ConversationControlActivities, TurnInput } from './contract.ts';
import { maxSteps, toolTries, turnTimeoutMs } from './names.ts';

const control =
  databaseActivities<
    Pick<ConversationControlActivities, 'failTurn' | 'cancelTurn' | 'failToolCall' | 'readDecisions'>
  >();

// The catalog's versions and a pin, for a turn that could not begin at once. A thousand tries outlast an hour
// of an organization that has as many turns under way as it may, which is asked again every few seconds, and
// hours of a lake that is away.
const { beginTurn } = proxyActivities<Pick<ConversationAgentActivities, 'beginTurn'>>({
  taskQueue: taskQueues.agent,
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '10 seconds', maximumAttempts: 1_000 },
});

// An answer may take minutes. Five tries, with what the provider says about when; a crash of the worker is
// one of them.
const { takeModelStep } = proxyActivities<Pick<ConversationAgentActivities, 'takeModelStep'>>({
  taskQueue: taskQueues.agent,
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 5 },
});

// A query takes two minutes at most. Six tries outlast a busy pool, and a restart of a store; then the model
// is told.
const { callTool } = proxyActivities<Pick<ConversationAgentActivities, 'callTool'>>({
  taskQueue: taskQueues.agent,
  startToCloseTimeout: '150 seconds',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '10 seconds', maximumAttempts: toolTries },
});

/** Calls of one step that run at once. */
const toolsAtOnce = 4;
/** What a turn is told of its surroundings. */
export interface TurnOptions {
  /** Messages that waited behind it when it began. */
  waiting?: number;
  /** Cancelled where somebody stopped the reply. */
  scope?: CancellationScope;
  /** Counts what its conversation was woken by: a decision of a person is news. */
  wakes?: () => number;
  /** Told of a turn that its process ended as failed. */
  failed?: (code: string) => void;
}

/**
 * How far a turn is: its step, that step's calls that are to be made, and whether others wait for a person.
 */
interface Progress {
  step: number;
  calls?: readonly number[];
  waits: boolean;
}

type TurnEnd = 'ended' | 'quiet' | 'unbegun';

/**
 * One turn, to its end in the rows. It may be stopped there at any moment, and then says so to whoever works
 * at it. True where it ended by itself and nothing waited.
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
    await CancellationScope.nonCancellable(async () => {
      const fail = (code: string) => {
        failed(code);
        return control.failTurn(turn, code);
      };
      if (!isCancellation(error)) return fail(codeOf(error));
      // By an operator it ends now; by its own signal its row has ended; by neither, its time was up.
      if (isAsked) return control.cancelTurn(turn);
      if (!scope.consideredCancelled) return fail('turn_timeout');
    });
    return false;
  }
}

/** Works for ten minutes at most; the time in which it waits for a person does not count. */
async function takeSteps(turn: TurnInput, waiting: number, wakes: () => number): Promise<TurnEnd> {
  const progress: Progress = { step: 0, waits: false };
  const where = (what: string) =>
    setCurrentDetails(`Answering ${turn.messageId}: ${what}. ${waiting} waited behind it when it began.`);
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

/** Waits until there is a call to be made, or none waits any more; false where the turn has ended. */
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
