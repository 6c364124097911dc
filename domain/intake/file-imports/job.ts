import type { ImportDeps, ImportOptions, ImportSource, PreviewPage, StageTarget } from './contract.ts';
import type { Tracker } from './out/tracker.ts';

/** Context of one run of `stage`. */
export interface StageJob {
  deps: ImportDeps;
  source: ImportSource;
  options: ImportOptions;
  target: StageTarget;
  tracker: Tracker;
  signal: AbortSignal;
  /** Local folder for this run. */
  folder: string;
  /** Time of the import, the same for all rows. */
  loadDateMicros: bigint | undefined;
}

/** Context of a preview. */
export interface PreviewJob {
  deps: ImportDeps;
  source: ImportSource;
  options: ImportOptions;
  page: PreviewPage;
  folder: string;
  loadDateMicros: bigint | undefined;
  signal: AbortSignal | undefined;
}

/** Time of the import, if its rows should contain it. */
export function loadDateMicros(options: ImportOptions): bigint | undefined {
  return options.includeLoadDate ? BigInt(Date.now()) * 1_000n : undefined;
}
