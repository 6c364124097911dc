import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { clearAgentRun, deliverAgentRun } from '../../domain/analyst/agent-runs/deliver.ts';
import { isTurnOver, noteFailure } from '../../domain/analyst/conversations/lifecycle.ts';
import { beginTurn, type TurnBeginning, type TurnsFull } from '../../domain/analyst/turns/begin-turn.ts';
import { takeModelStep } from '../../domain/analyst/turns/model-step.ts';
import { TurnEnded } from '../../domain/analyst/turns/reply-writer.ts';
import { StepFailure } from '../../domain/analyst/turns/step-failure.ts';
import { callTool } from '../../domain/analyst/turns/tool-call.ts';
import type { AgentRunAgentActivities } from '../../workflows/analyst/agent-run/contract.ts';
import type {
  ConversationAgentActivities,
  TurnInput,
} from '../../workflows/analyst/conversation/contract.ts';
import { toolTries } from '../../workflows/analyst/conversation/names.ts';
import type { ActivityDeps } from '../deps.ts';
import { withHeartbeats } from '../heartbeats.ts';

export function agentRunAgentActivities(deps: ActivityDeps): AgentRunAgentActivities {
  return {
    /** Safe to retry: the output's id is derived from the run, and the run ends once. */
    deliverAgentRun: (input) => deliverAgentRun(deps, input),
    /** Safe to retry: what is removed already is skipped. */
    clearAgentRun: (input) => clearAgentRun(deps, input),
  };
}

/**
 * Delay until a waiting turn tries to begin again, in milliseconds. Of all that wait, about as many try in a
 * second as may be under way, so that a long queue costs no more than a short one; fewer when turns are
 * long.
 */
function fullAgainMs({ waiting, limit }: TurnsFull, attempt: number): number {
  const seconds = Math.max(Math.min(1 + Math.floor(attempt / 10), 5), Math.min(waiting / limit, 30));
  return seconds * (750 + Math.random() * 500);
}

export function conversationAgentActivities(
  deps: ActivityDeps,
  { turnsPerOrganization }: { turnsPerOrganization: number },
): ConversationAgentActivities {
  const beginning = (turn: TurnInput) => beginTurn({ ...deps, turnsPerOrganization }, turn);

  /** The first step also begins the turn; if that is not possible, the workflow waits. */
  async function hasBegun(turn: TurnInput, step: number): Promise<TurnBeginning | 'failed'> {
    if (step > 0) return 'begun';
    return beginning(turn).catch((err: unknown) => {
      deps.logger.warn({ err, messageId: turn.messageId }, 'a turn could not start at once');
      return 'failed';
    });
  }

  return {
    /** Safe to retry: a turn that has begun keeps its pins. */
    async beginTurn(turn) {
      const begun = await beginning(turn);
      if (typeof begun === 'object')
        throw ApplicationFailure.create({
          type: 'overloaded',
          message: 'The organization has reached its limit of turns at the same time.',
          nextRetryDelay: fullAgainMs(begun, Context.current().info.attempt),
        });
      return begun === 'begun';
    },

    /**
     * Safe to retry: the next attempt retracts what the previous one sent, and of two concurrent attempts
     * only the later one can write.
     */
    takeModelStep: (turn, step, isLast) =>
      whileItLasts(deps, turn, { kind: 'ended' }, async (signal) => {
        const begun = await hasBegun(turn, step);
        if (begun !== 'begun') return { kind: begun === 'ended' ? 'ended' : 'unbegun' };
        return takeModelStep(deps, turn, { step, isLast, signal }).catch(async (error: unknown) => {
          if (!(error instanceof StepFailure)) throw error;
          const { code, message, isRetryable, retryAfterMs } = error.failure;
          deps.logger.warn(
            { err: error, code, reason: message, messageId: turn.messageId },
            'a model step failed',
          );
          await noteFailure(deps.db, turn, { code, message });
          throw ApplicationFailure.create({
            type: code,
            message: 'The model step failed.',
            nonRetryable: !isRetryable,
            ...(retryAfterMs === undefined ? {} : { nextRetryDelay: retryAfterMs }),
          });
        });
      }),

    /** Safe to retry: queries only read, and ids of what a call creates are derived from the call. */
    callTool: (turn, partIndex) => {
      const isLastTry = Context.current().info.attempt >= toolTries;
      return whileItLasts(deps, turn, undefined, (signal) =>
        callTool(deps, turn, { partIndex, isLastTry, signal }),
      );
    },
  };
}

/** Heartbeats between two checks of whether the reply is still wanted, in case a notification was lost. */
const beatsBetweenLooks = 3;

/** Runs work while the reply is under way: a Stop aborts the work at once, and the result is `otherwise`. */
async function whileItLasts<T>(
  deps: ActivityDeps,
  turn: TurnInput,
  otherwise: T,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const look = () => {
    isTurnOver(deps.db, turn)
      .then((isOver) => {
        if (isOver) stop.abort(new TurnEnded('The turn has ended.'));
      })
      .catch((err: unknown) => deps.logger.debug({ err, ...turn }, 'could not look at a reply'));
  };
  const stopListening = deps.notifications.on('reply_stops', turn.messageId, look);
  let beats = 0;
  const onBeat = () => {
    beats += 1;
    if (beats % beatsBetweenLooks === 0) look();
  };
  try {
    return await withHeartbeats({}, { onBeat }, (_progress, cancelled) =>
      work(AbortSignal.any([cancelled, stop.signal])),
    );
  } catch (error) {
    if (error instanceof TurnEnded || stop.signal.aborted) return otherwise;
    throw error;
  } finally {
    stopListening();
  }
}

export const analystAgentActivities = (deps: ActivityDeps, settings: { turnsPerOrganization: number }) => ({
  ...agentRunAgentActivities(deps),
  ...conversationAgentActivities(deps, settings),
});
