import { bestEffort, type Processes } from '../../../data/processes/processes.ts';
import { runEndedSignal } from '../../../workflows/automation/schedule-run/names.ts';
import type { Run } from './runs.ts';

type NotifyDeps = Parameters<typeof bestEffort>[0] & { processes: Pick<Processes, 'signal'> };

/** What the start of a run's process says beside its row. */
export interface RunStart {
  /** The process that is told when the run has ended. */
  waitedBy?: string | null | undefined;
  /** What the process remembers of the request behind it. */
  memo?: Record<string, string>;
}

/** As it stands in the input of the run's process. */
export const waiterOf = ({ waitedBy }: RunStart): { waitedBy?: string } =>
  waitedBy === null || waitedBy === undefined ? {} : { waitedBy };

/**
 * Tells the process that waits for a run whose own process is no more to do it. What it does not hear it
 * looks for later.
 */
export async function notifyWaiter(deps: NotifyDeps, run: Pick<Run, 'id' | 'waited_by'>): Promise<void> {
  const { id, waited_by: waitedBy } = run;
  if (waitedBy === null) return;
  await bestEffort(deps, waitedBy, deps.processes.signal(waitedBy, runEndedSignal, id));
}
