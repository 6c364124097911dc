import {
  ActivityFailure,
  CancellationScope,
  setCurrentDetails,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import { always, wasCancelled } from '../cancellation.ts';
import { continueOnNewest } from '../history.ts';
import { type Endings, endAs } from '../outcome.ts';
import { notifyWaiter } from '../run-ended.ts';

/** For a run that waits long for its turn, or has hundreds of steps. */
const maxHistoryLength = 5_000;
const longestWaitMs = 60_000;

export const isLong = (): boolean => workflowInfo().historyLength > maxHistoryLength;

interface QueuedRun<Outcome> {
  begin: () => Promise<'begun' | 'waiting' | 'ended'>;
  /** Call `beforeAnother` between two steps, while none is under way: a long history ends there. */
  work: (beforeAnother: () => Promise<void>) => Promise<unknown>;
  end: (isCancelled: boolean, hasFailed: boolean) => Promise<Outcome>;
  words: {
    /** Why it waits: `Waiting for its turn: …`. */
    waiting: string;
    working?: string;
    ended: (outcome: Outcome) => Endings;
  };
  /** How it waits, unless by a timer alone: something may wake it. */
  wait?: { firstMs: number; atMost: (ms: number) => Promise<unknown> };
}

const byTimer: Required<QueuedRun<unknown>>['wait'] = {
  firstMs: 1_000,
  atMost: (ms) => sleep(ms, { summary: 'its turn' }),
};

/**
 * A run that waits for its turn, works and ends. It polls for its turn: a timer is free, while an activity
 * that waits would hold a worker's slot. What stopped the work is in the run's row.
 */
export async function queuedRun<
  Input extends { organizationId: string; runId?: string; waitedBy?: string },
  Outcome extends { status: 'succeeded' | 'failed' | 'cancelled'; errorCode: string | null },
>(input: Input, run: QueuedRun<Outcome>): Promise<Outcome> {
  const outcome = await toItsEnd(input, run);
  const { runId, waitedBy } = input;
  if (runId !== undefined) await always(() => notifyWaiter(waitedBy, runId));
  endAs(outcome.status, outcome.errorCode, run.words.ended(outcome));
  return outcome;
}

async function toItsEnd<Outcome>(
  input: object,
  { begin, work, end, words, wait = byTimer }: QueuedRun<Outcome>,
): Promise<Outcome> {
  const beforeAnother = async () => {
    if (isLong()) await continueOnNewest<(input: object) => Promise<Outcome>>(input);
  };
  let hasFailed = false;
  try {
    let turn = await always(begin);
    for (let ms = wait.firstMs; turn === 'waiting'; ms = Math.min(ms * 2, longestWaitMs)) {
      setCurrentDetails(`Waiting for its turn: ${words.waiting}.`);
      await wait.atMost(ms);
      await beforeAnother();
      turn = await always(begin);
    }
    if (turn === 'begun') {
      if (words.working !== undefined) setCurrentDetails(words.working);
      await work(beforeAnother);
    }
  } catch (error) {
    hasFailed = !wasCancelled(error);
    if (hasFailed && !(error instanceof ActivityFailure)) throw error;
  }
  const isCancelled = CancellationScope.current().consideredCancelled;
  return always(() => end(isCancelled, hasFailed));
}
