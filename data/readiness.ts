/** By name, checks whether each dependency answers. */
export type Probes = Readonly<Record<string, () => Promise<unknown> | unknown>>;

export interface Readiness {
  status: 'ready' | 'degraded';
  dependencies: Record<string, 'up' | 'down'>;
  /** Whether a process can do any of its work; without the others it does part of it. */
  isUsable: boolean;
}

/** Without these, every request and every process fails. */
const essential = ['postgres', 'schema', 'engine', 'workers'];
const probeTimeoutMs = 2_000;

export async function readinessOf(probes: Probes): Promise<Readiness> {
  const names = Object.keys(probes);
  const states = await Promise.all(Object.values(probes).map(isUp));
  const dependencies = Object.fromEntries(
    names.map((name, index) => [name, states[index] ? ('up' as const) : ('down' as const)]),
  );
  return {
    status: states.every(Boolean) ? 'ready' : 'degraded',
    dependencies,
    isUsable: essential.every((name) => dependencies[name] !== 'down'),
  };
}

async function isUp(probe: () => Promise<unknown> | unknown): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), probeTimeoutMs);
  const answered = (async () => {
    await probe();
    return true;
  })().catch(() => false);
  return Promise.race([answered, late]).finally(() => clearTimeout(timer));
}
