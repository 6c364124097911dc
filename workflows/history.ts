import { makeContinueAsNewFunc, patched, type Workflow, workflowInfo } from '@temporalio/workflow';

/** Temporal ends an execution at 51,200 events; what is under way may still add its own to these. */
const defaultMaxEvents = 2_000;

/**
 * Whether another release took over. An execution stays on the one that began it, where workers run under
 * versions, and what lives long moves to the newest with its next execution.
 */
export const isOutdated = (): boolean => workflowInfo().targetWorkerDeploymentVersionChanged;

/** Goes on in a new execution, on the newest release. */
export function continueOnNewest<F extends Workflow>(...args: Parameters<F>): Promise<never> {
  return makeContinueAsNewFunc<F>({ initialVersioningBehavior: 'AUTO_UPGRADE' })(...args);
}

/**
 * Whether an execution has grown so long that it goes on as a new one, which reads from the rows where it is.
 */
export interface Growth {
  /** Looks again. Asked between two steps, never within a condition: it may write a marker. */
  look(): boolean;
  /** What the last look found. */
  readonly isFull: boolean;
}

export function watchGrowth(maxEvents = defaultMaxEvents): Growth {
  let isFull = false;
  return {
    look() {
      const { historyLength, continueAsNewSuggested } = workflowInfo();
      const isLong = historyLength > maxEvents || continueAsNewSuggested;
      // Executions that had grown longer under earlier code went on nonetheless.
      isFull ||= isOutdated() || (isLong && patched('continues-as-new'));
      return isFull;
    },
    get isFull() {
      return isFull;
    },
  };
}
