import { isReservedColumn } from '../../../data/lake/ducklake/catalog.ts';
import type { LocalEngine } from '../../../data/lake/engine/local.ts';
import type { EngineProcessSettings } from '../../../data/lake/engine/process/messages.ts';
import type { Job } from '../../../data/lake/engine/process/serve.ts';
import { createObjectStore } from '../../../data/objects/store.ts';
import {
  type Again,
  BadFileError,
  type FileFailure,
  openReader,
  type PreviewPage,
  type ReadOptions,
  type SourceFile,
  type StageProgress,
  type StageTarget,
} from '../../../packages/file-reader/index.ts';
import { previewRows } from './preview-rows.ts';
import { asOptionsFault, asRequestFault } from './request-faults.ts';
import { lineColumn, rawColumn } from './restaged-columns.ts';

export interface FileJobInput {
  preview: { source: SourceFile; options: ReadOptions; page: PreviewPage };
  stage: { source: SourceFile; options: ReadOptions; target: StageTarget };
  restage: { source: SourceFile; options: ReadOptions; again: Omit<Again, 'lineColumn' | 'rawColumn'> };
}

/** File jobs of an engine process. Only this process reads the file, so that it alone bears the cost. */
export async function fileJobs(
  engine: LocalEngine,
  { objectStore, workDir }: EngineProcessSettings,
): Promise<Readonly<Record<keyof FileJobInput, Job>>> {
  const reader = await openReader({
    engine,
    store: createObjectStore(objectStore),
    workDir,
    isReserved: isReservedColumn,
    readRows: previewRows,
  });
  return {
    preview: ({ source, options, page }: FileJobInput['preview'], { signal }) =>
      answerOf(async () => {
        const { rows, ...rest } = await reader
          .preview(source, options, page, signal)
          .catch((error: unknown) => {
            throw error instanceof BadFileError ? asRequestFault(error, options) : error;
          });
        // As text, because exact numbers cannot be transferred between processes.
        return { ...rest, rowsJson: JSON.stringify(rows) };
      }),
    stage: ({ source, options, target }: FileJobInput['stage'], { signal, onProgress }) =>
      answerOf(() =>
        reader.stage(source, options, target, onProgress as (progress: StageProgress) => void, signal),
      ),
    restage: ({ source, options, again }: FileJobInput['restage'], { signal }) =>
      answerOf(() => reader.restage(source, options, { ...again, lineColumn, rawColumn }, signal)),
  };
}

/** Result of a job. A fault of the file is an answer, not a failure of the process. */
export type JobAnswer<T> = { result: T } | { failure: FileFailure };

async function answerOf<T>(work: () => Promise<T>): Promise<JobAnswer<T>> {
  try {
    return { result: await work() };
  } catch (error) {
    if (error instanceof BadFileError) return { failure: error.failure };
    throw asOptionsFault(error);
  }
}
