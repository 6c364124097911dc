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
  return staleTables.slice(0, maxNamed).map((staleTable) => {
    const { name, builtAt, changed, isRedefined } = (staleTable ?? {}) as Partial<
      Record<keyof StaleTable, unknown>
    >;
    return {
      name: typeof name === 'string' ? name : null,
      builtAt: String(builtAt ?? ''),
      changed: Array.isArray(changed) ? changed.map(String) : [],
      isRedefined: isRedefined === true,
    };
  });
}

/** A table that an answer was read from although its tests fail. */
export interface FailingTable {
  name: string;
  tests: string[];
}

/** What the answer of a tool says about tables whose tests fail. */
export function readFailingTables(value: unknown): FailingTable[] {
  const { failingTables } = (value ?? {}) as { failingTables?: unknown };
  if (!Array.isArray(failingTables)) return [];
  return failingTables.slice(0, maxNamed).map((failingTable) => {
    const { name, tests } = (failingTable ?? {}) as Partial<Record<keyof FailingTable, unknown>>;
    return { name: String(name ?? ''), tests: Array.isArray(tests) ? tests.map(String) : [] };
  });
}
