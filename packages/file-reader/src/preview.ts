import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Preview, PreviewPage, ReaderDeps, ReadOptions, SourceFile } from './contract.ts';
import { loadDateMicros, type PreviewJob } from './job.ts';
import { refuseBadOptions } from './options.ts';
import { interruptible } from './out/run.ts';
import { blamingFile, openParquet } from './parquet/file.ts';
import { parquetTexts } from './parquet/source.ts';
import { previewTyped } from './parquet/typed.ts';
import { previewText } from './preview-text.ts';
import { openText } from './text/open.ts';
import { withUnpacked } from './unpack.ts';

/** `Reader.preview`. */
export async function preview(
  deps: ReaderDeps,
  source: SourceFile,
  options: ReadOptions,
  page: PreviewPage,
  signal?: AbortSignal,
): Promise<Preview> {
  refuseBadOptions(options, source.format, deps.isReserved);
  await mkdir(deps.workDir, { recursive: true });
  const folder = await mkdtemp(join(deps.workDir, 'preview-'));
  try {
    return await deps.engine.scratch(async (connection) => {
      await connection.run("SET TimeZone = 'UTC'");
      const job = { deps, source, options, page, folder, loadDateMicros: loadDateMicros(options), signal };
      return interruptible(connection, signal, () => previewWith(job, connection));
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function previewWith(given: PreviewJob, connection: DuckDBConnection): Promise<Preview> {
  const job = await withUnpacked(given);
  const { deps, source, options } = job;
  if (source.format !== 'parquet') return previewText(job, connection, await openText(deps, source, options));
  const file = await openParquet(deps, connection, source);
  if (options.columnMappings === undefined) return previewTyped(job, connection, file);
  return blamingFile(() => previewText(job, connection, parquetTexts(connection, file, options)));
}
