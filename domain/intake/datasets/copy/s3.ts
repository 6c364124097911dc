import { RemoteFailure } from '../../../../data/outgoing/failure.ts';
import { BadFileError } from '../../../../packages/file-reader/index.ts';
import { InternalFailure } from '../../data-connections/failure.ts';
import type { SourceTarget } from '../../data-connections/sources/source.ts';
import type { CopyProgress } from '../snapshot-runs.ts';
import type { Copied, CopyDeps, CopyRequest, WithEngine } from './copier.ts';
import { copyTooLarge } from './limits.ts';
import { joinTexts } from './s3-join.ts';
import { type ListedObject, listObjects, readObject } from './s3-objects.ts';

/**
 * Copies a file, or all files below a folder, as one table. All data comes through checked requests and is
 * uploaded to our bucket, where the reader of file imports converts it to Parquet: the engine has no access
 * to the source. Text files are joined into one, so that the inferred types fit all values.
 */
export async function copyS3(
  deps: CopyDeps,
  target: SourceTarget,
  _withEngine: WithEngine,
  { resource, prefixUrl, csv = {} }: Omit<CopyRequest, 'connection'>,
  progress: (progress: CopyProgress) => void,
  signal: AbortSignal,
): Promise<Copied> {
  const { objects, files, organizationId, maxBytes } = deps;
  const listed = await listObjects(target, { resource, maxBytes }, signal);
  const total = listed.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const prefix = prefixUrl.slice(`s3://${objects.settings.bucket}/`.length);
  const sourcePrefix = `${prefix}source/`;
  let bytes = 0;
  let unpacked = 0;
  /** The source's failure; any other failure is internal. */
  let thrown: unknown;

  async function* read(object: ListedObject): AsyncGenerator<Buffer> {
    const came = (count: number): void => {
      bytes += count;
      progress({ fraction: 0.5 * Math.min(1, bytes / total), rows: 0, bytes });
    };
    for await (const chunk of readObject(target, object, { maxBytes, onBytes: came }, signal)) {
      signal.throwIfAborted();
      unpacked += chunk.length;
      if (unpacked > maxBytes) throw copyTooLarge(maxBytes);
      yield chunk;
    }
  }
  async function put(name: string, source: AsyncIterable<Buffer>) {
    async function* noting(): AsyncGenerator<Buffer> {
      try {
        yield* source;
      } catch (error) {
        thrown = error;
        throw error;
      }
    }
    const key = sourcePrefix + name;
    return { key, sizeBytes: await objects.upload(key, noting()) };
  }
  const lines = { of: (line: number): string => `Line ${line}` };
  const { format } = listed[0]!;

  try {
    const parts = [];
    if (format === 'parquet')
      for (const [index, object] of listed.entries()) parts.push(await put(`${index}.parquet`, read(object)));
    else
      parts.push(
        await put('text', joinTexts(listed, read, { format, csv: format === 'csv' ? csv : {} }, lines)),
      );
    const source = {
      key: parts[0]!.key,
      sizeBytes: parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      format: format === 'tsv' ? ('csv' as const) : format,
      ...(format === 'parquet' ? { parts } : {}),
    };
    const { table } = await files.stage(
      organizationId,
      {
        source,
        options: { includeLoadDate: false, ...(format === 'csv' ? { csv } : {}) },
        target: { prefixUrl: `${prefixUrl}parquet/`, quarantine: false },
      },
      ({ fraction, rows }) => progress({ fraction: 0.5 + fraction * 0.45, rows, bytes }),
      signal,
    );
    return { ...table, bytes };
  } catch (error) {
    // Our store wraps the source's error in one of its own.
    if (thrown !== undefined) throw thrown;
    if (!(error instanceof BadFileError)) throw new InternalFailure(error);
    throw new RemoteFailure(
      'request',
      `${resource} couldn't be read: ${describeBadFile(error, lines.of, format)}`,
    );
  } finally {
    await objects.removeAll(sourcePrefix).catch(() => undefined);
  }
}

/** Line numbers refer to a file of the source, not to the joined file. */
function describeBadFile(
  { failure }: BadFileError,
  lineOf: (line: number) => string,
  format: string,
): string {
  const { line, column, reason, message } = failure;
  if (line === null || reason === null || format === 'parquet') return message;
  return `${lineOf(line)}${column === null ? '' : `, column "${column}"`}: ${reason}`;
}
