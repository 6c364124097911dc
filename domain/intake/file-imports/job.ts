import type { ImportDeps, ImportOptions, ImportSource, PreviewPage, StageTarget } from './contract.ts';
import type { Tracker } from './out/tracker.ts';

/** What one run of `stage` works with. */
export interface StageJob {
  deps: ImportDeps;
  source: ImportSource;
  options: ImportOptions;
  target: StageTarget;
  tracker: Tracker;
  signal: AbortSignal;
  /** Local folder of this run. */
  folder: string;
  /** The import's own time, one for all rows. */
  loadDateMicros: bigint | undefined;
}

/** What a preview works with. */
export interface PreviewJob {
  deps: ImportDeps;
  source: ImportSource;
  options: ImportOptions;
  page: PreviewPage;
  folder: string;
  loadDateMicros: bigint | undefined;
  signal: AbortSignal | undefined;
}

/** The time of an import, when its rows are to carry it. */
export function loadDateMicros(options: ImportOptions): bigint | undefined {
  return options.includeLoadDate ? BigInt(Date.now()) * 1_000n : undefined;
}
