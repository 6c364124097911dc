import type {
  Preview,
  PreviewPage,
  ReaderDeps,
  ReadOptions,
  SourceFile,
  Staged,
  StagedFile,
  StageProgress,
  StageTarget,
} from './contract.ts';
import type { Again } from './restage.ts';

/** Reads files of one store. Every work takes a connection of its own from the engine. */
export interface Reader {
  /**
   * One page of a file as `stage` would read it. With mappings, a large file is only read up to that page;
   * without them, types are inferred from the whole file, or from a sample of a large one.
   *
   * @throws BadFileError, BadOptionsError
   */
  preview(
    source: SourceFile,
    options: ReadOptions,
    page: PreviewPage,
    signal?: AbortSignal,
  ): Promise<Preview>;
  /**
   * Converts a file to Parquet files below the target's prefix. A retry starts from scratch: files of an
   * earlier attempt below the prefix are removed first, and this attempt leaves none if it fails or is
   * aborted.
   *
   * @throws BadFileError, BadOptionsError
   */
  stage(
    source: SourceFile,
    options: ReadOptions,
    target: StageTarget,
    progress: (progress: StageProgress) => void,
    signal: AbortSignal,
  ): Promise<Staged>;
  /**
   * Reads a file again with the types that its table has now, and writes the quarantined records that fit
   * them: one Parquet file, or none. A record is identified by its line and its text.
   *
   * @throws BadFileError
   */
  restage(
    source: SourceFile,
    options: ReadOptions,
    again: Again,
    signal: AbortSignal,
  ): Promise<StagedFile | undefined>;
}

/** Loads the code that reads. A process that only checks options does without it. */
export async function openReader(deps: ReaderDeps): Promise<Reader> {
  const [{ preview }, { stage }, { restage }] = await Promise.all([
    import('./preview.ts'),
    import('./stage.ts'),
    import('./restage.ts'),
  ]);
  return {
    preview: (...given) => preview(deps, ...given),
    stage: (...given) => stage(deps, ...given),
    restage: (...given) => restage(deps, ...given),
  };
}
