/** The number of processes every organization may always use at once, however busy the others are. */
export const guaranteedAtOnce = 2;

/** Limits on how many may wait, and for how long, beyond their organization's share. */
export interface WaitingRules {
  /** Per organization; its guaranteed number may always wait. */
  perOrganization: number;
  /** Per organization while less than half of all places are taken; `perOrganization` if left out. */
  whileRoom?: number;
  inAll: number;
  /** Maximum wait for a slot of the organization's share. */
  shareWaitMs: number;
}

export interface Load {
  processes: number;
  /** Number running, by organization. */
  running: ReadonlyMap<string, number>;
  /** Number waiting, by organization. */
  waiting: ReadonlyMap<string, number>;
}

/**
 * How many processes an organization may use now: an equal part, but never all of them, so that the next
 * organization finds two free, and never fewer than two.
 */
export function fairShare(load: Load, organizationId: string): number {
  const active = new Set([...load.running.keys(), ...load.waiting.keys(), organizationId]).size;
  const equalPart = Math.floor(load.processes / active);
  return Math.max(guaranteedAtOnce, Math.min(equalPart, load.processes - guaranteedAtOnce));
}

export function isWithinShare(load: Load, organizationId: string): boolean {
  return (load.running.get(organizationId) ?? 0) < fairShare(load, organizationId);
}

/** The queue is bounded per organization and in total, so no organization can fill it. */
export function mayWait(load: Load, organizationId: string, rules: WaitingRules): boolean {
  const own = load.waiting.get(organizationId) ?? 0;
  if (own < guaranteedAtOnce) return true;
  const all = [...load.waiting.values()].reduce((sum, count) => sum + count, 0);
  const most = 2 * all < rules.inAll ? (rules.whileRoom ?? rules.perOrganization) : rules.perOrganization;
  return own < most && all < rules.inAll;
}
