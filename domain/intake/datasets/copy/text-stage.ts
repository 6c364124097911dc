import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineConnection } from '../../../../data/lake/engine/contract.ts';
import { identifier, literal } from '../../../../data/lake/sql.ts';
import type { ObjectStore } from '../../../../data/objects/store.ts';
import { RemoteFailure } from '../../../../data/outgoing/failure.ts';
import { InternalFailure } from '../../data-connections/failure.ts';
import { type Flow, maxRowBytes, rowTooLarge } from '../../data-connections/sources/watch.ts';
import type { StagedFile } from '../../file-imports/contract.ts';
import { writeParquet } from '../../file-imports/out/write.ts';
import { copyTooLarge } from './limits.ts';

/** A column of the text, and what the engine makes of it. */
export interface StagedColumn {
  name: string;
  dataType: string;
  value(text: string): string;
}

export interface TextStageOptions {
  objects: ObjectStore;
  workDir: string;
  prefixUrl: string;
  columns: readonly StagedColumn[];
  connection: EngineConnection;
  /** Of all rows. */
  maxBytes: number;
  /** Of text, after which a file is cut off and made Parquet of. */
  fileBytes?: number;
}

/** Of a table with one column. */
const paddingColumn = 'padding of a single column';

/**
 * Little enough for the engine to be at work soon, and large enough for a file of Parquet to be worth its
 * name.
 */
const defaultFileBytes = 64 * 1_024 * 1_024;
const bufferBytes = 1_024 * 1_024;

/** What the engine says of a text that is no value of its type. */
const refusals = /^(?:Conversion|Invalid Input|Out of Range) Error/;

/**
 * Takes rows as they come, cuts them into files in a local folder, and has the engine make Parquet of each
 * while the next is filled. What comes faster than that is asked to wait, so that little more than two files
 * are on the disk.
 *
 * The rows are in the text format of PostgreSQL's COPY: a tab between values, `\N` for a null, and whatever
 * could be taken for one of them, or for the end of a line, behind a backslash. So a line is a row, and the
 * engine may begin to read at any: in CSV, a line may lie within a value, and its parallel reader takes such
 * a one for a row.
 */
export async function createTextStage(options: TextStageOptions) {
  const {
    objects,
    workDir,
    prefixUrl,
    columns,
    connection,
    maxBytes,
    fileBytes = defaultFileBytes,
  } = options;
  await mkdir(workDir, { recursive: true });
  const folder = await mkdtemp(join(workDir, 'snapshot-'));
  const staged: StagedFile[] = [];
  let buffer = Buffer.allocUnsafe(bufferBytes);
  let filled = 0;
  let rowsInFile = 0;
  let writtenBytes = 0;
  let file: { handle: FileHandle; path: string } | undefined;
  /** The writes so far, one after the other. */
  let writing: Promise<void> = Promise.resolve();
  let staging: Promise<void> = Promise.resolve();
  let failure: unknown;

  async function write(bytes: Buffer, endsFile: boolean, rows: number): Promise<void> {
    if (file === undefined) {
      const path = join(folder, randomUUID());
      file = { handle: await open(path, 'w', 0o600), path };
    }
    if (bytes.length > 0) await file.handle.writeFile(bytes);
    if (!endsFile) return;
    const { handle, path } = file;
    file = undefined;
    await handle.close();
    await staging;
    staging = makeParquet(path, rows);
    staging.catch(() => undefined);
  }

  async function makeParquet(path: string, rows: number): Promise<void> {
    // A null in a single column would be an empty line, which is none to the engine.
    const padding = columns.length === 1 ? [`${literal(paddingColumn)}: 'VARCHAR'`] : [];
    const names = [...columns.map(({ name }) => `${literal(name)}: 'VARCHAR'`), ...padding].join(', ');
    const terms = columns.map(({ name, dataType, value }) => {
      const text = escaped.has(dataType) ? unescaped(identifier(name)) : identifier(name);
      return `${value(text)} AS ${identifier(name)}`;
    });
    // Every option is said: nothing is found out from what happens to stand in the first rows.
    const format = [
      `columns = {${names}}`,
      ...[
        'auto_detect = false',
        'header = false',
        "delim = '\t'",
        "quote = ''",
        "escape = ''",
        "comment = ''",
      ],
      ...["nullstr = '\\N'", "new_line = '\\n'", 'null_padding = false', 'strict_mode = true'],
      ...[`max_line_size = ${maxRowBytes}`, `buffer_size = ${maxRowBytes * 2}`],
    ];
    const select = `SELECT ${terms.join(', ')} FROM read_csv(${literal(path)}, ${format.join(', ')})`;
    const files = await writeParquet(async (sql) => (await connection.read(sql)).rows, select, {
      objects,
      prefixUrl,
      columns: columns.length,
      sourceBytes: 0,
    });
    await rm(path);
    const found = files.reduce((sum, one) => sum + one.rows, 0);
    if (found !== rows) throw new Error(`Of ${rows} rows that were copied the engine read ${found}.`);
    staged.push(...files);
  }

  function flush(flow: Flow | undefined, endsFile: boolean): void {
    const bytes = buffer.subarray(0, filled);
    const rows = rowsInFile;
    buffer = Buffer.allocUnsafe(bufferBytes);
    filled = 0;
    if (endsFile) rowsInFile = 0;
    flow?.pause();
    writing = writing
      .then(() => write(bytes, endsFile, rows))
      .catch((error: unknown) => {
        failure ??= error;
      })
      .finally(() => flow?.resume());
  }

  let fileSize = 0;
  return {
    get bytes() {
      return writtenBytes;
    },
    take(row: Buffer, flow: Flow): void {
      if (failure !== undefined) throw told(failure);
      if (row.length > maxRowBytes) throw rowTooLarge();
      if (writtenBytes + row.length > maxBytes) throw copyTooLarge(maxBytes);
      if (row.length > buffer.length - filled) {
        if (row.length > bufferBytes - filled) flush(flow, false);
        if (row.length > buffer.length) buffer = Buffer.allocUnsafe(row.length);
      }
      row.copy(buffer, filled);
      filled += row.length;
      rowsInFile += 1;
      writtenBytes += row.length;
      fileSize += row.length;
      if (fileSize < fileBytes) return;
      fileSize = 0;
      flush(flow, true);
    },
    /** Everything that was taken, as Parquet. */
    async finish(): Promise<StagedFile[]> {
      if (rowsInFile > 0) flush(undefined, true);
      await writing;
      if (failure !== undefined) throw told(failure);
      await staging.catch((error: unknown) => {
        throw told(error);
      });
      return staged;
    },
    /** Removes what is on the disk, whatever became of it. */
    async close(): Promise<void> {
      await writing.catch(() => undefined);
      await staging.catch(() => undefined);
      await file?.handle.close().catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A value that cannot be held is the source's; a disk that is full, or an engine that ended, is not. */
function told(error: unknown): Error {
  const message = error instanceof Error ? (error.message.split('\n')[0] ?? '') : '';
  if (!refusals.test(message)) return new InternalFailure(error);
  return new RemoteFailure('request', `A value cannot be stored: ${message.slice(0, 300).toWellFormed()}`);
}

/** Types whose text may hold what is escaped; that of a number or a day never does. */
const escaped = new Set(['STRING', 'JSON', 'BLOB']);

/** Between two backslashes that stand for one, each of the other signs stands for itself. */
function unescaped(text: string): string {
  const signs = { b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };
  const part = Object.entries(signs).reduce(
    (inner, [letter, code]) => `replace(${inner}, '\\${letter}', chr(${code}))`,
    'part',
  );
  const parts = `list_transform(string_split(${text}, '\\\\'), lambda part: ${part})`;
  return `CASE WHEN contains(${text}, '\\') THEN array_to_string(${parts}, '\\') ELSE ${text} END`;
}
