import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineConnection } from '../../../../data/lake/engine/contract.ts';
import { identifier, literal } from '../../../../data/lake/sql.ts';
import type { ObjectStore } from '../../../../data/objects/store.ts';
import { RemoteFailure } from '../../../../data/outgoing/failure.ts';
import { type StagedFile, writeParquet } from '../../../../packages/file-reader/index.ts';
import { InternalFailure } from '../../data-connections/failure.ts';
import { type Flow, maxRowBytes, rowTooLarge } from '../../data-connections/sources/watch.ts';
import type { UnreadableValues } from './copier.ts';
import { copyTooLarge } from './limits.ts';
import { countUnreadable, orFail, orNull, type TextColumn, unreadableFailure } from './unreadable.ts';

/** A column of the text, and the engine expression that converts it. */
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
  /** For all rows. */
  maxBytes: number;
  /** What to do with a value that its type cannot hold. */
  unreadable?: UnreadableValues;
  /** Columns that name the row of such a value in an error; by default the first. */
  keys?: readonly string[];
  /** Size of text after which a file is closed and converted to Parquet. */
  fileBytes?: number;
}

/** Name of the extra column added to a table with only one. */
const paddingColumn = 'padding of a single column';

/** Small enough that the engine starts early, and large enough for Parquet files of a useful size. */
const defaultFileBytes = 64 * 1_024 * 1_024;
const bufferBytes = 1_024 * 1_024;

/** Errors of the engine for text that is not a value of its type. */
const refusals = /^(?:Conversion|Invalid Input|Out of Range) Error/;

/**
 * Receives rows, splits them into files in a local folder, and has the engine convert each to Parquet while
 * the next is filled. A source that is faster is paused, so that the disk holds little more than two files.
 *
 * The rows are in the text format of PostgreSQL's COPY: tabs between values, `\N` for null, and backslash
 * escapes for everything that could be confused with these or with the end of a line. Every line is therefore
 * a row, and the engine can start reading at any line. In CSV, a line can be inside a value, which its
 * parallel reader would take for a row.
 */
export async function createTextStage(options: TextStageOptions) {
  const {
    objects,
    workDir,
    prefixUrl,
    columns,
    connection,
    maxBytes,
    unreadable = 'fail',
    keys = [],
    fileBytes = defaultFileBytes,
  } = options;
  const texts = columns.map(({ name, dataType, value }): TextColumn => {
    const text = escaped.has(dataType) ? unescaped(identifier(name)) : identifier(name);
    return { name, dataType, text, value: value(text) };
  });
  /** How many values became null, by column. */
  const nulled = new Map<string, number>();
  await mkdir(workDir, { recursive: true });
  const folder = await mkdtemp(join(workDir, 'snapshot-'));
  const staged: StagedFile[] = [];
  let buffer = Buffer.allocUnsafe(bufferBytes);
  let filled = 0;
  let rowsInFile = 0;
  let writtenBytes = 0;
  let file: { handle: FileHandle; path: string } | undefined;
  /** All writes so far, in sequence. */
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
    // A null in a single column would be an empty line, which the engine skips.
    const padding = columns.length === 1 ? [`${literal(paddingColumn)}: 'VARCHAR'`] : [];
    const names = [...columns.map(({ name }) => `${literal(name)}: 'VARCHAR'`), ...padding].join(', ');
    const terms = texts.map(
      (column) => `${unreadable === 'null' ? orNull(column) : orFail(column)} AS ${identifier(column.name)}`,
    );
    // All options are explicit, so that nothing is inferred from the first rows.
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
    const from = `read_csv(${literal(path)}, ${format.join(', ')})`;
    const select = `SELECT ${terms.join(', ')} FROM ${from}`;
    const files = await writeParquet(async (sql) => (await connection.read(sql)).rows, select, {
      store: objects,
      prefixUrl,
      columns: columns.length,
      sourceBytes: 0,
    }).catch(async (error: unknown) => {
      if (!isRefusal(error)) throw error;
      throw (await unreadableFailure(connection, texts, { from, keys })) ?? error;
    });
    if (unreadable === 'null')
      for (const [name, count] of await countUnreadable(connection, texts, from))
        nulled.set(name, (nulled.get(name) ?? 0) + count);
    await rm(path);
    const found = files.reduce((sum, one) => sum + one.rows, 0);
    if (found !== rows) throw new Error(`The service copied ${rows} rows, but the engine read ${found}.`);
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
    /** How many values became null because their type cannot hold them, by column; whole once finished. */
    get unreadable(): ReadonlyMap<string, number> {
      return nulled;
    },
    take(row: Buffer, flow: Flow): void {
      if (failure !== undefined) throw asStagingFailure(failure);
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
    /** Completes staging; returns the Parquet files of all rows. */
    async finish(): Promise<StagedFile[]> {
      if (rowsInFile > 0) flush(undefined, true);
      await writing;
      if (failure !== undefined) throw asStagingFailure(failure);
      await staging.catch((error: unknown) => {
        throw asStagingFailure(error);
      });
      return staged;
    },
    /** Removes all local files, whether or not staging succeeded. */
    async close(): Promise<void> {
      await writing.catch(() => undefined);
      await staging.catch(() => undefined);
      await file?.handle.close().catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A value that cannot be stored is a failure of the source; a full disk or a crashed engine is not. */
function asStagingFailure(error: unknown): Error {
  if (error instanceof RemoteFailure) return error;
  if (!isRefusal(error)) return new InternalFailure(error);
  const message = error.message.split('\n')[0] ?? '';
  return new RemoteFailure('request', `A value couldn't be stored: ${message.slice(0, 300).toWellFormed()}`);
}

const isRefusal = (error: unknown): error is Error => error instanceof Error && refusals.test(error.message);

/** Types whose text may contain escapes; numbers and dates never do. */
const escaped = new Set(['STRING', 'JSON', 'BLOB']);

/**
 * Splits at escaped backslashes, so that within each part the other escapes can be replaced independently.
 */
function unescaped(text: string): string {
  const signs = { b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };
  const part = Object.entries(signs).reduce(
    (inner, [letter, code]) => `replace(${inner}, '\\${letter}', chr(${code}))`,
    'part',
  );
  const parts = `list_transform(string_split(${text}, '\\\\'), lambda part: ${part})`;
  return `CASE WHEN contains(${text}, '\\') THEN array_to_string(${parts}, '\\') ELSE ${text} END`;
}
