import type { PreviewPage, ReaderDeps, ReadOptions, SourceFile, StageTarget } from './contract.ts';
import type { Tracker } from './out/tracker.ts';

/** Context of one run of `stage`. */
export interface StageJob {
  deps: ReaderDeps;
  source: SourceFile;
  options: ReadOptions;
  target: StageTarget;
  tracker: Tracker;
  signal: AbortSignal;
  /** Local folder for this run. */
  folder: string;
  /** When the file is read, the same for all rows. */
  loadDateMicros: bigint | undefined;
}

/** Context of a preview. */
export interface PreviewJob {
  deps: ReaderDeps;
  source: SourceFile;
  options: ReadOptions;
  page: PreviewPage;
  folder: string;
  loadDateMicros: bigint | undefined;
  signal: AbortSignal | undefined;
}

/** What a plan with inferred types depends on. */
export function planning({ deps, options }: Pick<StageJob, 'deps' | 'options'>) {
  return { includeLoadDate: options.includeLoadDate, isReserved: deps.isReserved };
}

/** The time now, if the rows should contain it. */
export function loadDateMicros(options: ReadOptions): bigint | undefined {
  return options.includeLoadDate ? BigInt(Date.now()) * 1_000n : undefined;
}
