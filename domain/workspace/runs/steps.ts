/** A piece of a run, as its users follow it. Times are ISO 8601. */
export interface RunStep {
  id: string;
  name: string;
  type: string;
  status: 'running' | 'succeeded' | 'failed' | 'cancelled' | 'skipped';
  detail: string | null;
  startedAt: string;
  finishedAt: string | null;
  error: { code: string; message: string } | null;
}

/** What a run keeps of its steps at most. */
const maxSteps = 1_000;

/**
 * The steps with one more under way; the one before it is done. A step that is there already is left as it
 * is.
 */
export function withStep(
  steps: readonly RunStep[],
  { id, name, type }: Pick<RunStep, 'id' | 'name' | 'type'>,
): RunStep[] {
  if (steps.some((step) => step.id === id) || steps.length >= maxSteps) return [...steps];
  const begun: RunStep = {
    id,
    name,
    type,
    status: 'running',
    detail: null,
    startedAt: new Date().toISOString(),
    finishedAt: null,
    error: null,
  };
  return [...closeStep(steps, 'succeeded'), begun];
}

/** The steps, with whatever is under way ended so. */
export function closeStep(steps: readonly RunStep[], status: RunStep['status'] | string): RunStep[] {
  const finishedAt = new Date().toISOString();
  return steps.map((step) =>
    step.status === 'running' ? { ...step, status: status as RunStep['status'], finishedAt } : step,
  );
}

/** The steps as they are now, each with the times at which it was first seen to begin and to end. */
export function mergedSteps(
  known: readonly RunStep[],
  steps: readonly Omit<RunStep, 'startedAt' | 'finishedAt'>[],
): RunStep[] {
  const now = new Date().toISOString();
  return steps.slice(0, maxSteps).map((step) => {
    const before = known.find(({ id }) => id === step.id);
    const finishedAt = step.status === 'running' ? null : (before?.finishedAt ?? now);
    return { ...step, startedAt: before?.startedAt ?? now, finishedAt };
  });
}
