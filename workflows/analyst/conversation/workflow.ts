import {
  CancellationScope,
  condition,
  defineSignal,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { databaseActivities, databaseOnly } from '../../activity-options.ts';
import { always, wasCancelled } from '../../cancellation.ts';
import { continueOnNewest, isOutdated } from '../../history.ts';
import { addressInApi, endAsCancelled, failureText, recordOutcome } from '../../outcome.ts';
import type { ConversationControlActivities, ConversationInput, ConversationNext } from './contract.ts';
import { stopReplySignal, wakeConversationSignal } from './names.ts';
import { takeTurn } from './turn.ts';

const { removeConversation } =
  databaseActivities<Pick<ConversationControlActivities, 'removeConversation'>>();
// The check before every turn runs in the workflow task itself, so that nothing is scheduled for it.
const { advanceConversation } =
  proxyLocalActivities<Pick<ConversationControlActivities, 'advanceConversation'>>(databaseOnly);

const maxHistoryLength = 2_000;
/** An idle conversation ends its process; the next message starts another. */
const idleFor = '5 minutes';

export const wakeSignal = defineSignal(wakeConversationSignal);
export const stopSignal = defineSignal<[string]>(stopReplySignal);

/**
 * Takes the turns of a conversation one after the other. Its rows have the state (messages, queue, Stops,
 * holds); a signal only makes the process read them again.
 */
export async function conversation(input: ConversationInput): Promise<void> {
  let isAwake = false;
  let wakes = 0;
  let turn: { messageId: string; scope: CancellationScope } | undefined;
  let lastFailure = '';
  setHandler(wakeSignal, () => {
    isAwake = true;
    wakes += 1;
  });
  setHandler(stopSignal, (messageId) => {
    isAwake = true;
    if (turn?.messageId === messageId) turn.scope.cancel();
  });
  for (;;) {
    const { historyLength, continueAsNewSuggested } = workflowInfo();
    if (historyLength > maxHistoryLength || continueAsNewSuggested || isOutdated())
      return continueOnNewest<typeof conversation>(input);
    isAwake = false;
    let next = await always(() => advanceConversation(input));
    describe(next, lastFailure);
    if (next.kind === 'turn') {
      const scope = new CancellationScope();
      const { messageId } = next;
      turn = { messageId, scope };
      lastFailure = '';
      const failed = (code: string) => {
        lastFailure = ` ${failureText(`The turn of ${messageId}`, code, messageAddress(messageId))}`;
      };
      const isQuiet = await takeTurn(
        { ...input, messageId },
        { waiting: next.waiting, scope, wakes: () => wakes, failed },
      );
      turn = undefined;
      // Later messages are signalled, or found by the reconciler.
      if (isQuiet && !isAwake) {
        next = { kind: 'idle', waiting: 0, isHeld: false };
        describe(next, lastFailure);
      }
    }
    switch (next.kind) {
      case 'turn':
        break;
      case 'idle':
        if (!(await waitForWakeUp(() => isAwake))) {
          recordOutcome('idle', 'No message came for five minutes. The next message starts a new workflow.');
          return;
        }
        break;
      case 'deleted':
        await always(() => removeConversation(input));
        recordOutcome('deleted', 'The conversation was deleted, with everything that belonged to it.');
        return;
      default:
        recordOutcome('gone', 'The conversation no longer exists.');
        return;
    }
    endAsCancelled('The conversation');
  }
}

/** False if the conversation stayed idle for so long that the process may end. */
async function waitForWakeUp(isAwake: () => boolean): Promise<boolean> {
  try {
    await condition(isAwake, idleFor);
  } catch (error) {
    if (!wasCancelled(error)) throw error;
    // Cancelled by an operator while nothing is under way.
    endAsCancelled('The conversation');
  }
  return isAwake();
}

function messageAddress(messageId: string): string | undefined {
  const address = addressInApi();
  return address && `${address}/messages/${messageId}`;
}

/** The details shown to operators with the process. */
function describe(next: ConversationNext, lastFailure: string): void {
  if (next.kind === 'turn')
    setCurrentDetails(`Answering ${next.messageId}; ${next.waiting} messages wait behind it.`);
  if (next.kind === 'idle') {
    setCurrentDetails(
      next.isHeld
        ? `Held by a Stop with ${next.waiting} messages waiting, until the queue is resumed.`
        : `Waits for a message.${lastFailure}`,
    );
  }
}
