import { bestEffort, type Processes } from '../../../data/processes/processes.ts';
import { runEndedSignal } from '../../../workflows/automation/schedule-run/names.ts';

type NotifyDeps = Parameters<typeof bestEffort>[0] & { processes: Pick<Processes, 'signal'> };

/**
 * Tells the process that waits for a run whose own process is no more to do it. What it does not hear it
 * looks for later.
 */
export async function notifyWaiter(deps: NotifyDeps, waitedBy: string | null, runId: string): Promise<void> {
  if (waitedBy === null) return;
  await bestEffort(deps, waitedBy, deps.processes.signal(waitedBy, runEndedSignal, runId));
}
