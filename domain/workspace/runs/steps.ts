/** A step of a run, as its users see it. Times are ISO 8601. */
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

/** Maximum number of steps stored per run. */
const maxSteps = 1_000;

/** Adds a running step, which ends the one before it. No effect if the step exists. */
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

/** Ends all running steps with this status. */
export function closeStep(steps: readonly RunStep[], status: RunStep['status'] | string): RunStep[] {
  const finishedAt = new Date().toISOString();
  return steps.map((step) =>
    step.status === 'running' ? { ...step, status: status as RunStep['status'], finishedAt } : step,
  );
}

/** The new steps, each with the times at which it was first seen to begin and to end. */
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
