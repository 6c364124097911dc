import { makeContinueAsNewFunc, patched, type Workflow, workflowInfo } from '@temporalio/workflow';

/** Temporal's limit is 51,200 events; work under way may still add events after this threshold. */
const defaultMaxEvents = 2_000;

/**
 * Whether a newer release is deployed. With versioned workers, an execution stays on the release that began
 * it; a long-lived process moves to the newest with its next execution.
 */
export const isOutdated = (): boolean => workflowInfo().targetWorkerDeploymentVersionChanged;

/** Continues as a new execution, on the newest release. */
export function continueOnNewest<F extends Workflow>(...args: Parameters<F>): Promise<never> {
  return makeContinueAsNewFunc<F>({ initialVersioningBehavior: 'AUTO_UPGRADE' })(...args);
}

/**
 * Whether a history has grown so long that the process continues as a new execution, which reads its state
 * from the rows.
 */
export interface Growth {
  /** Checks again. Call it between two steps, never within a condition: it may write a marker. */
  look(): boolean;
  /** The result of the last check. */
  readonly isFull: boolean;
}

export function watchGrowth(maxEvents = defaultMaxEvents): Growth {
  let isFull = false;
  return {
    look() {
      const { historyLength, continueAsNewSuggested } = workflowInfo();
      const isLong = historyLength > maxEvents || continueAsNewSuggested;
      // Executions of earlier releases may be longer already, and must replay without this.
      isFull ||= isOutdated() || (isLong && patched('continues-as-new'));
      return isFull;
    },
    get isFull() {
      return isFull;
    },
  };
}
