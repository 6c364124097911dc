import { createByteBudget } from '../../../data/outgoing/byte-budget.ts';
import type { Outgoing } from '../../../data/outgoing/outgoing.ts';
import { createFairSlots } from '../../../data/process-pool/fair-slots.ts';

/** All that is kept of a check. */
export interface CheckOutcome {
  /** Null if there was no answer in time. */
  status: number | null;
  beganAtMs: number;
  elapsedMs: number;
}

/** Asks a health address once. */
export type AppCheck = (
  organizationId: string,
  address: string,
  cancelled?: AbortSignal,
) => Promise<CheckOutcome>;

/** From the resolution of the name to the status of the answer. */
const timeoutMs = 5_000;
/** The body is not read; this bounds what arrives with the status. */
const maxAnswerBytes = 4_096;

/** Checks of one process: `atOnce` are under way, the others wait, organizations in turn. */
export function createAppChecks(outgoing: Pick<Outgoing, 'fetch'>, atOnce: number): AppCheck {
  const slots = createFairSlots(atOnce);
  return (organizationId, address, cancelled) =>
    slots(organizationId, async () => {
      const beganAtMs = Date.now();
      const late = AbortSignal.timeout(timeoutMs);
      const signal = cancelled === undefined ? late : AbortSignal.any([late, cancelled]);
      const status = await statusOf(outgoing, address, signal);
      return { status, beganAtMs, elapsedMs: Date.now() - beganAtMs };
    });
}

async function statusOf(
  outgoing: Pick<Outgoing, 'fetch'>,
  address: string,
  signal: AbortSignal,
): Promise<number | null> {
  try {
    const response = await outgoing.fetch(address, {
      // A reused connection may just be closed, which would look like a failure of the app.
      headers: { 'user-agent': 'analytics-workspace', connection: 'close' },
      signal,
      budget: createByteBudget(maxAnswerBytes),
    });
    await response.body?.cancel().catch(() => undefined);
    return response.status;
  } catch {
    return null;
  }
}
