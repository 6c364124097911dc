import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { ReaderDeps, ReadOptions, SourceFile, Staged, StageProgress, StageTarget } from './contract.ts';
import { loadDateMicros, type StageJob } from './job.ts';
import { refuseBadOptions } from './options.ts';
import { createTracker } from './out/tracker.ts';
import { clearPrefix } from './out/write.ts';
import { blamingFile, openParquet } from './parquet/file.ts';
import { parquetTexts } from './parquet/source.ts';
import { stageTyped } from './parquet/typed.ts';
import { stageText } from './stage-text.ts';
import { openText } from './text/open.ts';
import { withUnpacked } from './unpack.ts';

/** `Reader.stage`. */
export async function stage(
  deps: ReaderDeps,
  source: SourceFile,
  options: ReadOptions,
  target: StageTarget,
  progress: (progress: StageProgress) => void,
  signal: AbortSignal,
): Promise<Staged> {
  refuseBadOptions(options, source.format, deps.isReserved);
  signal.throwIfAborted();
  await clearPrefix(deps, target.prefixUrl);
  const tracker = createTracker(source.sizeBytes, progress);
  try {
    const staged = await withJob({ deps, source, options, target, tracker, signal }, stageWith);
    signal.throwIfAborted();
    progress({ fraction: 1, bytesRead: source.sizeBytes, rows: staged.table.rows });
    return staged;
  } catch (error) {
    // The original error is reported; the next attempt removes leftover files.
    await clearPrefix(deps, target.prefixUrl).catch(() => undefined);
    throw error;
  }
}

/** Runs `work` with its own local folder and connection. */
export async function withJob<T>(
  given: Omit<StageJob, 'folder' | 'loadDateMicros'>,
  work: (job: StageJob, connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const { deps, options } = given;
  await mkdir(deps.workDir, { recursive: true });
  const folder = await mkdtemp(join(deps.workDir, 'import-'));
  const job: StageJob = { ...given, folder, loadDateMicros: loadDateMicros(options) };
  try {
    return await deps.engine.scratch(async (connection) => {
      await prepare(connection);
      return work(job, connection);
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function stageWith(given: StageJob, connection: DuckDBConnection): Promise<Staged> {
  const job = await withUnpacked(given);
  const { deps, source, options } = job;
  if (source.format !== 'parquet') {
    const text = await openText(deps, source, options);
    const staged = await stageText(job, connection, text);
    const skippedLines = text.effective?.skippedLines ?? [];
    return { ...staged, skippedLines, bytesRead: given.source.sizeBytes };
  }
  const file = await openParquet(deps, connection, source);
  if (options.columnMappings === undefined) return stageTyped(job, connection, file);
  return blamingFile(() => stageText(job, connection, parquetTexts(connection, file, options)));
}

async function prepare(connection: DuckDBConnection): Promise<void> {
  await connection.run("SET TimeZone = 'UTC'");
  await connection.run('SET enable_progress_bar = true');
  await connection.run('SET enable_progress_bar_print = false');
}
