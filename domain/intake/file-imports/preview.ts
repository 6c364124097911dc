import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { AppError, ValidationError } from '../../../data/errors.ts';
import { BadFileError } from './bad-file.ts';
import type { ImportDeps, ImportOptions, ImportSource, Preview, PreviewPage } from './contract.ts';
import { loadDateMicros, type PreviewJob } from './job.ts';
import { checkOptions } from './options.ts';
import { interruptible } from './out/run.ts';
import { blamingFile, openParquet } from './parquet/file.ts';
import { parquetTexts } from './parquet/source.ts';
import { previewTyped } from './parquet/typed.ts';
import { previewText } from './preview-text.ts';
import { openText } from './text/open.ts';
import { withUnpacked } from './unpack.ts';

/**
 * One page of a file as an import would read it. With mappings, a large file is only read up to that page;
 * without them, types are inferred from the whole file, or from a sample of a large one.
 */
export async function preview(
  deps: ImportDeps,
  source: ImportSource,
  options: ImportOptions,
  page: PreviewPage,
  signal?: AbortSignal,
): Promise<Preview> {
  checkOptions(options, source.format);
  await mkdir(deps.workDir, { recursive: true });
  const folder = await mkdtemp(join(deps.workDir, 'preview-'));
  try {
    return await deps.engine.scratch(async (connection) => {
      await connection.run("SET TimeZone = 'UTC'");
      const job = { deps, source, options, page, folder, loadDateMicros: loadDateMicros(options), signal };
      return interruptible(connection, signal, () => previewWith(job, connection));
    });
  } catch (error) {
    throw error instanceof BadFileError ? asRequestFault(error, options) : error;
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

/**
 * A preview reports an unreadable file as a fault of the request: a missing column as 422 at its mapping, a
 * missing sheet at its name.
 */
function asRequestFault(error: BadFileError, options: ImportOptions): Error {
  const { code, column, message } = error.failure;
  if (code === 'missing_column') {
    const index = (options.columnMappings ?? []).findIndex(
      ({ sourceColumnName }) => sourceColumnName === column,
    );
    const loc = ['body', 'column_mappings', index, 'source_column_name'];
    return new ValidationError([{ loc, msg: message, type: 'value_error' }]);
  }
  const atCsv = (option: string) =>
    new ValidationError([{ loc: ['body', 'csv', option], msg: message, type: 'value_error' }]);
  if (code === 'quote_separates_columns') return atCsv('quote_character');
  if (code === 'thousands_separates_columns') return atCsv('thousands');
  if (code === 'missing_sheet')
    return new ValidationError([{ loc: ['body', 'xlsx', 'sheet'], msg: message, type: 'value_error' }]);
  return new AppError('invalid_request', message, { cause: error });
}
