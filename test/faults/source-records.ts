/** A record as it is, or was, in the source: `value` is the number of the change that made it so. */
export interface SourceRecord {
  id: number;
  /** ISO 8601; increases with every change. Records that are changed together have the same instant. */
  at: string;
  value: number;
}

/** Every record by its id. */
export type SourceState = ReadonlyMap<number, SourceRecord>;

/**
 * What the source contains and ever contained: nothing is deleted. A state is identified by the number of its
 * last change.
 */
export interface SourceRecords {
  /** The change with the number n is at n - 1. */
  changes: readonly SourceRecord[];
  /** Changes records at one instant, each once; new ids insert them. */
  change(ids: readonly number[]): void;
  stateAt(number: number): SourceState;
}

const firstInstantMs = Date.UTC(2026, 0, 1);
/** Pages of one state are requested one after the other. */
const maxKept = 8;

export function createSourceRecords(instantMs = 1): SourceRecords {
  const changes: SourceRecord[] = [];
  const kept = new Map<number, SourceState>();
  let instants = 0;
  return {
    changes,
    change(ids) {
      instants += 1;
      const at = new Date(firstInstantMs + instants * instantMs).toISOString();
      for (const id of ids) changes.push({ id, at, value: changes.length + 1 });
    },
    stateAt(number) {
      const known = kept.get(number);
      if (known !== undefined) return known;
      const state = new Map(changes.slice(0, number).map((record) => [record.id, record]));
      kept.set(number, state);
      for (const oldest of kept.keys()) if (kept.size > maxKept) kept.delete(oldest);
      return state;
    },
  };
}
