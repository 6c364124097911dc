import {
  condition,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import { continueOnNewest, watchGrowth } from '../../history.ts';
import { recordOutcome } from '../../outcome.ts';
import { taskQueues } from '../../task-queues.ts';
import type { AppHealthAgentActivities, AppHealthInput } from './contract.ts';
import { wakeAppHealthSignal } from './names.ts';

// A round takes 20 seconds where no app answers. It is retried without limit: nothing else checks the apps.
const agent = proxyActivities<AppHealthAgentActivities>({
  taskQueue: taskQueues.agent,
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '20 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
});

export const wakeSignal = defineSignal(wakeAppHealthSignal);

/**
 * Checks the apps of an organization as long as it has any, each when it is due. The rows say when that is,
 * and what the checks found; a signal only makes the process read them again.
 */
export async function appHealth(input: AppHealthInput): Promise<void> {
  let isAwake = false;
  setHandler(wakeSignal, () => {
    isAwake = true;
  });
  const growth = watchGrowth();
  // A signal that comes just before the next execution is not lost: that one begins by reading the rows.
  while (!growth.look()) {
    isAwake = false;
    const { waitMs, apps, live } = await agent.checkDueApps(input);
    if (waitMs !== null) {
      const next = new Date(Date.now() + waitMs).toISOString();
      setCurrentDetails(`${live} of ${apps} apps are live. The next check is at ${next}.`);
      if (waitMs > 0) await condition(() => isAwake, waitMs, { summary: `Next check at ${next}` });
    } else if (!isAwake) {
      recordOutcome(
        'done',
        'The organization has no apps. The next app that is registered starts another workflow.',
      );
      return;
    }
  }
  await continueOnNewest<typeof appHealth>(input);
}
