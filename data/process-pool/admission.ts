/** What every organization may always run at once, however busy the others are. */
export const guaranteedAtOnce = 2;

/** How long, and how many, may wait beyond what their organization may run at once. */
export interface WaitingRules {
  /** Of one organization; what it is guaranteed may always wait. */
  perOrganization: number;
  inAll: number;
  /** How long one waits for its organization's share. */
  shareWaitMs: number;
}

export interface Load {
  processes: number;
  /** What runs, by organization. */
  running: ReadonlyMap<string, number>;
  /** What waits, by organization. */
  waiting: ReadonlyMap<string, number>;
}

/**
 * How much an organization may run now: an equal part of the processes, never all of them, so that the next
 * organization finds two free, and never less than two.
 */
export function fairShare(load: Load, organizationId: string): number {
  const active = new Set([...load.running.keys(), ...load.waiting.keys(), organizationId]).size;
  const equalPart = Math.floor(load.processes / active);
  return Math.max(guaranteedAtOnce, Math.min(equalPart, load.processes - guaranteedAtOnce));
}

export function isWithinShare(load: Load, organizationId: string): boolean {
  return (load.running.get(organizationId) ?? 0) < fairShare(load, organizationId);
}

/** The queue is bounded twice: no organization fills it, and all together cannot either. */
export function mayWait(load: Load, organizationId: string, rules: WaitingRules): boolean {
  const own = load.waiting.get(organizationId) ?? 0;
  if (own < guaranteedAtOnce) return true;
  const all = [...load.waiting.values()].reduce((sum, count) => sum + count, 0);
  return own < rules.perOrganization && all < rules.inAll;
}
