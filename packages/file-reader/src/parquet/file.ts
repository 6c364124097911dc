import type { DuckDBConnection } from '@duckdb/node-api';
import { BadFileError, maxColumns } from '../bad-file.ts';
import type { ReaderDeps, SourceFile } from '../contract.ts';
import { blame, orTooLarge, runRows } from '../out/run.ts';
import { literal } from '../sql.ts';
import { fileChunks } from '../text/chunks.ts';
import { wideDecimals } from './exactness.ts';
import { nativeColumn, type ParquetFile, rowNumber, typedColumn } from './types.ts';

const magic = 'PAR1';
/** The whole footer is read into memory. */
const maxFooterBytes = 64 * 1024 * 1024;

export async function openParquet(
  deps: ReaderDeps,
  connection: DuckDBConnection,
  source: SourceFile,
): Promise<ParquetFile> {
  const parts = source.parts ?? [source];
  for (const part of parts) await checkFrame(deps, part);
  const urls = parts.map(({ key }) => literal(deps.store.rootUrl + key));
  const list = `[${urls.join(', ')}]`;
  return blamingFile(async () => {
    const described = await runRows(connection, `DESCRIBE FROM read_parquet(${list}, union_by_name = true)`);
    const read = await connection.prepare(`FROM read_parquet(${list}, union_by_name = true)`);
    const columns = described.map(([name, type], index) => ({
      name: String(name),
      ...typedColumn(String(name), String(type)),
      native: nativeColumn(String(name), read.columnType(index)),
    }));
    read.destroySync();
    if (columns.length > maxColumns) {
      throw new BadFileError(
        'too_many_columns',
        `The file has ${columns.length} columns; the limit is ${maxColumns}`,
      );
    }
    if (columns.some(({ name }) => name.toLowerCase() === rowNumber)) {
      throw new BadFileError(
        'unsupported_column',
        `A column has the name ${rowNumber}, which the Parquet reader uses itself. Rename the column`,
      );
    }
    const [[rows] = []] = await runRows(
      connection,
      `SELECT sum(num_rows) FROM parquet_file_metadata(${list})`,
    );
    return {
      from: `read_parquet(${list}, union_by_name = true, ${rowNumber} = true)`,
      rows: Number(rows ?? 0),
      columns,
      wideDecimals: await wideDecimals(connection, list),
    };
  });
}

/** Checks the magic bytes and the size of the footer: cheap, and detects most broken files. */
async function checkFrame(deps: ReaderDeps, source: Pick<SourceFile, 'key' | 'sizeBytes'>): Promise<void> {
  const { sizeBytes, key } = source;
  const bad = new BadFileError('malformed_file', "The file isn't a complete Parquet file");
  if (sizeBytes < 12) throw bad;
  const parts: Buffer[] = [];
  for await (const part of fileChunks(deps.store, key, sizeBytes, { from: sizeBytes - 8 })) parts.push(part);
  const tail = Buffer.concat(parts);
  if (tail.toString('latin1', 4, 8) !== magic) throw bad;
  const footerBytes = tail.readUInt32LE(0);
  if (footerBytes > maxFooterBytes || footerBytes > sizeBytes - 12) throw bad;
}

/** Attributes a failure to read a Parquet file to the file, unless the store is the cause. */
export async function blamingFile<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (blame(error) === 'data' || isDamage(error)) {
      const bad = new BadFileError(
        'malformed_file',
        'The Parquet file is damaged, or uses features that the service cannot read',
      );
      bad.cause = error;
      throw bad;
    }
    throw orTooLarge(error);
  }
}

/** A damaged footer can also make the reader read beyond the end of the file. */
function isDamage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (/HTTP 416/.test(error.message)) return true;
  return /^(Not implemented|Serialization|IO) Error/.test(error.message) && !/HTTP/.test(error.message);
}
