/** What every organization may always run at once, however busy the others are. */
export const guaranteedStatements = 2;
/** Statements of one organization beyond its share that may wait a moment, so that a burst is not refused. */
const waitingPerOrganization = 8;
const waitingInAll = 64;
/** How long one waits for its organization's share; short, since a client can retry and a queue cannot shrink. */
export const shareWaitMs = 1000;

export interface Load {
  processes: number;
  /** Running statements by organization. */
  running: ReadonlyMap<string, number>;
  /** Waiting statements by organization. */
  waiting: ReadonlyMap<string, number>;
}

/**
 * How many statements an organization may run now: an equal part of the processes, never all of them, so that
 * the next organization finds two free, and never less than two.
 */
export function fairShare(load: Load, organizationId: string): number {
  const active = new Set([...load.running.keys(), ...load.waiting.keys(), organizationId]).size;
  const equalPart = Math.floor(load.processes / active);
  return Math.max(guaranteedStatements, Math.min(equalPart, load.processes - guaranteedStatements));
}

export function isWithinShare(load: Load, organizationId: string): boolean {
  return (load.running.get(organizationId) ?? 0) < fairShare(load, organizationId);
}

/** The queue is bounded twice: no organization fills it, and all together cannot either. */
export function mayWait(load: Load, organizationId: string): boolean {
  const own = load.waiting.get(organizationId) ?? 0;
  if (own < guaranteedStatements) return true;
  const all = [...load.waiting.values()].reduce((sum, count) => sum + count, 0);
  return own < waitingPerOrganization && all < waitingInAll;
}
