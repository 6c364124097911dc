import type { LocalEngine } from '../../../data/lake/engine/local.ts';
import type { EngineProcessSettings } from '../../../data/lake/engine/process/messages.ts';
import type { Job } from '../../../data/lake/engine/process/serve.ts';
import { createObjectStore } from '../../../data/objects/store.ts';
import { BadFileError, type ImportFailure } from './bad-file.ts';
import type {
  ImportDeps,
  ImportOptions,
  ImportSource,
  PreviewPage,
  StageProgress,
  StageTarget,
} from './contract.ts';
import { preview } from './preview.ts';
import { type Again, restage } from './restage.ts';
import { stage } from './stage.ts';

export interface FileJobInput {
  preview: { source: ImportSource; options: ImportOptions; page: PreviewPage };
  stage: { source: ImportSource; options: ImportOptions; target: StageTarget };
  restage: { source: ImportSource; options: ImportOptions; again: Again };
}

/** File jobs of an engine process. Only this process reads the file, so that it alone bears the cost. */
export function fileJobs(
  engine: LocalEngine,
  { objectStore, workDir }: EngineProcessSettings,
): Readonly<Record<keyof FileJobInput, Job>> {
  const deps: ImportDeps = { engine, objects: createObjectStore(objectStore), workDir };
  return {
    preview: ({ source, options, page }: FileJobInput['preview'], { signal }) =>
      answerOf(async () => {
        const { rows, ...rest } = await preview(deps, source, options, page, signal);
        // As text, because exact numbers cannot be transferred between processes.
        return { ...rest, rowsJson: JSON.stringify(rows) };
      }),
    stage: ({ source, options, target }: FileJobInput['stage'], { signal, onProgress }) =>
      answerOf(() =>
        stage(deps, source, options, target, onProgress as (progress: StageProgress) => void, signal),
      ),
    restage: ({ source, options, again }: FileJobInput['restage'], { signal }) =>
      answerOf(() => restage(deps, source, options, again, signal)),
  };
}

/** Result of a job. A fault of the file is an answer, not a failure of the process. */
export type JobAnswer<T> = { result: T } | { failure: ImportFailure };

async function answerOf<T>(work: () => Promise<T>): Promise<JobAnswer<T>> {
  try {
    return { result: await work() };
  } catch (error) {
    if (error instanceof BadFileError) return { failure: error.failure };
    throw error;
  }
}
