import { bestEffort, type Processes } from '../../../data/processes/processes.ts';
import { runEndedSignal } from '../../../workflows/automation/schedule-run/names.ts';
import type { Run } from './runs.ts';

type NotifyDeps = Parameters<typeof bestEffort>[0] & { processes: Pick<Processes, 'signal'> };

/** The part of the process's input that names the waiting process. */
export const waiterOf = ({ waited_by: waitedBy }: Pick<Run, 'waited_by'>): { waitedBy?: string } =>
  waitedBy === null ? {} : { waitedBy };

/**
 * Notifies the process that waits for a run whose own process is gone. If the signal is lost, the waiting
 * process finds the end by polling.
 */
export async function notifyWaiter(deps: NotifyDeps, run: Pick<Run, 'id' | 'waited_by'>): Promise<void> {
  const { id, waited_by: waitedBy } = run;
  if (waitedBy === null) return;
  await bestEffort(deps, waitedBy, deps.processes.signal(waitedBy, runEndedSignal, id));
}
