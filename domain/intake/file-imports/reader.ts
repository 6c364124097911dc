import { AppError } from '../../../data/errors.ts';
import type { LakeEngine } from '../../../data/lake/engine/contract.ts';
import {
  BadFileError,
  orTooLarge,
  type Preview,
  type Staged,
  type StagedFile,
  type StageProgress,
} from '../../../packages/file-reader/index.ts';
import type { FileJobInput, JobAnswer } from './jobs.ts';
import { refuseBadOptions } from './request-faults.ts';
import { declared, type StagedImport } from './staged.ts';

/** A preview with its rows as JSON text, with exact numbers. */
export type PreviewText = Omit<Preview, 'rows'> & { rowsJson: string };

/** Reads users' files, each in an engine process: none is ever opened in this process. */
export interface FileReader {
  preview(
    organizationId: string,
    input: FileJobInput['preview'],
    signal: AbortSignal | undefined,
  ): Promise<PreviewText>;
  stage(
    organizationId: string,
    input: FileJobInput['stage'],
    progress: (progress: StageProgress) => void,
    signal: AbortSignal,
  ): Promise<StagedImport>;
  restage(
    organizationId: string,
    input: FileJobInput['restage'],
    signal: AbortSignal,
  ): Promise<StagedFile | undefined>;
}

/** Timeout of a preview; its caller waits for it. */
const previewTimeoutMs = 60_000;

export function createFileReader(engine: LakeEngine): FileReader {
  async function perform<T>(
    organizationId: string,
    job: { name: keyof FileJobInput; input: unknown; onProgress?: (progress: unknown) => void },
    signal: AbortSignal | undefined,
  ): Promise<T> {
    let answer: JobAnswer<T>;
    try {
      answer = (await engine.perform(organizationId, job, { signal })) as JobAnswer<T>;
    } catch (error) {
      throw orTooLarge(error);
    }
    if (!('failure' in answer)) return answer.result;
    throw new BadFileError(answer.failure.code, answer.failure.message, answer.failure);
  }
  return {
    async preview(organizationId, input, signal) {
      refuseBadOptions(input.options, input.source.format);
      const late = AbortSignal.timeout(previewTimeoutMs);
      const either = signal === undefined ? late : AbortSignal.any([signal, late]);
      try {
        return await perform<PreviewText>(organizationId, { name: 'preview', input }, either);
      } catch (error) {
        if (!late.aborted) throw error;
        throw new AppError(
          'query_timeout',
          `The preview took longer than ${previewTimeoutMs / 1_000} s. Import the file, or preview a smaller one.`,
          { cause: error },
        );
      }
    },
    async stage(organizationId, input, progress, signal) {
      const onProgress = (reported: unknown) => progress(reported as StageProgress);
      const job = { name: 'stage' as const, input, onProgress };
      const { table, quarantine, ...rest } = await perform<Staged>(organizationId, job, signal);
      return { ...rest, table: declared(table), quarantine: quarantine && declared(quarantine) };
    },
    restage: (organizationId, input, signal) => perform(organizationId, { name: 'restage', input }, signal),
  };
}
