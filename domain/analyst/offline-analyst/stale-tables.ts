/** A calculated table that an answer was read from although what it is made from has changed. */
export interface StaleTable {
  /** Null if the asker may not see it, but a view that reads it. */
  name: string | null;
  builtAt: string;
  changed: string[];
  isRedefined: boolean;
}

/** Maximum number that an answer names. */
const maxNamed = 3;

/** What the answer of a tool says about stale tables. */
export function readStaleTables(value: unknown): StaleTable[] {
  const { staleTables } = (value ?? {}) as { staleTables?: unknown };
  if (!Array.isArray(staleTables)) return [];
  return staleTables.slice(0, maxNamed).map((one) => {
    const { name, builtAt, changed, isRedefined } = (one ?? {}) as Partial<Record<keyof StaleTable, unknown>>;
    return {
      name: typeof name === 'string' ? name : null,
      builtAt: String(builtAt ?? ''),
      changed: Array.isArray(changed) ? changed.map(String) : [],
      isRedefined: isRedefined === true,
    };
  });
}
