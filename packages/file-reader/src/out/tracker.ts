import type { DuckDBConnection } from '@duckdb/node-api';
import type { StageProgress } from '../contract.ts';

const pollEveryMs = 500;

/** Combines the steps of a file's conversion into one fraction that never decreases. */
export interface Tracker {
  /** The following steps move the fraction from `from` to `to`. */
  phase(from: number, to: number): void;
  /** Progress within the phase, 0–1, and the rows so far. */
  at(fraction: number, rows?: number): void;
  /** Tracks the progress of the connection's current statement while `work` runs. */
  follow<T>(connection: DuckDBConnection, work: () => Promise<T>): Promise<T>;
}

export function createTracker(sizeBytes: number, report: (progress: StageProgress) => void): Tracker {
  let from = 0;
  let to = 1;
  let fraction = 0;
  let rows = 0;
  function at(part: number, rowsNow = rows): void {
    rows = rowsNow;
    fraction = Math.max(fraction, from + Math.min(1, Math.max(0, part)) * (to - from));
    report({ fraction, bytesRead: Math.round(fraction * sizeBytes), rows });
  }
  return {
    at,
    phase(newFrom, newTo) {
      from = newFrom;
      to = newTo;
      at(0);
    },
    async follow(connection, work) {
      const timer = setInterval(() => {
        const { percentage } = connection.progress;
        if (percentage >= 0) at(percentage / 100);
      }, pollEveryMs);
      try {
        return await work();
      } finally {
        clearInterval(timer);
      }
    },
  };
}
