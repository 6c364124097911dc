import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { lstat, readFile, rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { queryStream, TruncatedError, wait } from '../../../typescript/src/index.ts';
import { type Context, collect, contextOf, tableOf } from '../context.ts';
import { exitCodes, Failure } from '../failure.ts';
import { counted, plain, progressBar, table } from '../output.ts';

const streamed = ['csv', 'ndjson', 'arrow'] as const;
const exported = ['csv', 'parquet', 'ndjson', 'arrow', 'xlsx'] as const;
type Exported = (typeof exported)[number];

interface QueryOptions {
  file?: string;
  format?: string;
  output?: string;
  limit?: string;
  at?: string[];
}

export function queryCommands(program: Command): void {
  program
    .command('query')
    .description('run a SELECT in DuckDB SQL')
    .argument('[sql]', 'SQL statement, or - for standard input')
    .option('-f, --file <file>', 'file with the statement')
    .option(
      '--format <format>',
      'table, json, csv, ndjson, arrow, parquet or xlsx (default: by the extension of -o, or table on a terminal, or csv)',
    )
    .option('-o, --output <file>', 'write all rows to a file')
    .option('--limit <rows>', 'maximum number of rows (default: 100 for table and json)')
    .option('--at <table=version>', 'read a past version of a table (repeatable)', collect)
    .action(async (sql: string | undefined, options: QueryOptions, command: Command) => {
      const statement = await statementOf(sql, options.file);
      const context = await contextOf(command);
      const format = formatOf(options, context.output.json);
      if ((format === 'table' || format === 'json') && options.output !== undefined)
        throw new Failure(
          'A file can be csv, ndjson, arrow, parquet or xlsx. Choose one with --format or the extension of -o.',
          exitCodes.usage,
        );
      if (format === 'table' || format === 'json') return showRows(context, statement, options, format);
      if (format === 'parquet' || format === 'xlsx') {
        if (options.limit !== undefined)
          throw new Failure(
            `--limit doesn't work with this format. Put the limit into the statement.`,
            exitCodes.usage,
          );
        const of = { sql: statement, at_versions: versionsOf(options) };
        return exportTo(context, of, format, options.output);
      }
      if (!streamed.some((streamable) => streamable === format))
        throw new Failure(
          `There is no format ${format}. Use table, json, csv, ndjson, arrow, parquet or xlsx.`,
          exitCodes.usage,
        );
      const body = await queryStream(context.workspace, {
        sql: statement,
        format: format as (typeof streamed)[number],
        signal: context.signal,
        atVersions: versionsOf(options),
        limit: limitOf(options),
      });
      try {
        if (options.output === undefined) await pipeline(chunksOf(body), process.stdout, { end: false });
        else await writeWhole(Readable.fromWeb(body as never), options.output);
      } catch (error) {
        if (!(error instanceof TruncatedError)) throw error;
        const { rowCount } = error;
        if (options.output === undefined)
          throw new Failure(
            `Wrote the first ${counted(rowCount, 'row')}, and there are more. Write all of them with -o FILE, or set --limit.`,
          );
        // A file of Arrow's other format would be a surprise to what reads it.
        if (format === 'arrow')
          throw new Failure(
            `There are more than ${counted(rowCount, 'row')}, the limit of an Arrow stream. To write all of them to an Arrow file, use workspace export --sql.`,
          );
        const of = { sql: statement, at_versions: versionsOf(options) };
        await exportTo(context, of, format, options.output);
      }
    });

  program
    .command('export')
    .description('export a table or the result of a query to a file')
    .argument('[table]', 'the name or id of a table')
    .option('--sql <sql>', 'query to export instead of a table')
    .option('--format <format>', `${exported.join(', ')} (default: by the extension of -o)`)
    .option('-o, --output <file>', 'file to write')
    .action(async (name: string | undefined, options: QueryOptions & { sql?: string }, command: Command) => {
      if ((name === undefined) === (options.sql === undefined))
        throw new Failure('Name either a table, or a query with --sql.', exitCodes.usage);
      const context = await contextOf(command);
      const of = name === undefined ? { sql: options.sql! } : { table_id: (await tableOf(context, name)).id };
      await exportTo(context, of, formatOf(options, false), options.output);
    });
}

async function statementOf(sql: string | undefined, file: string | undefined): Promise<string> {
  if ((sql === undefined) === (file === undefined))
    throw new Failure('Give either a statement, or a file with -f.', exitCodes.usage);
  if (file !== undefined) return readFile(file, 'utf8');
  return sql === '-' ? text(process.stdin) : sql!;
}

function formatOf({ format, output }: QueryOptions, json: boolean): string {
  if (format !== undefined) return format;
  const ending = /\.(\w+)$/.exec(output ?? '')?.[1]?.toLowerCase();
  if (ending !== undefined) return ending === 'jsonl' ? 'ndjson' : ending;
  if (json) return 'json';
  return process.stdout.isTTY === true ? 'table' : 'csv';
}

function limitOf({ limit }: QueryOptions): number | undefined {
  if (limit === undefined) return undefined;
  const count = Number(limit);
  if (!Number.isInteger(count) || count < 1)
    throw new Failure('--limit must be a whole number of rows, 1 or more.', exitCodes.usage);
  return count;
}

function versionsOf({ at = [] }: QueryOptions): Record<string, number> {
  return Object.fromEntries(
    at.map((each) => {
      const [, name, number] = /^(.+)=(\d+)$/.exec(each) ?? [];
      if (name === undefined)
        throw new Failure('--at must be a table and a version, such as orders=12.', exitCodes.usage);
      return [name, Number(number)];
    }),
  );
}

/** Each is written before the next is read, so that all of them are there when the last one is an error. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function showRows(context: Context, sql: string, options: QueryOptions, format: 'table' | 'json') {
  const { workspace, output, signal } = context;
  const limit = limitOf(options);
  const { data } = await workspace.post('/v1/query-executions', {
    body: {
      sql,
      row_format: 'rows_with_column_order',
      at_versions: versionsOf(options),
      limit,
    },
    signal,
  });
  const { rows_with_column_order: rows = [], ...answer } = data;
  const values = rows.map((row) => row.map(({ value }) => value));
  const names = data.columns.map(({ name }) => name);
  if (format === 'json') {
    process.stdout.write(`${JSON.stringify({ ...answer, rows: values }, null, 2)}\n`);
    return;
  }
  process.stdout.write(`${table(names, values)}\n`);
  const more = data.truncated ? ', and there are more. Raise --limit, or write all rows with -o FILE' : '';
  output.hint(output.dim(`${counted(data.rowCount, 'row')}${more} (${Math.round(data.elapsedMs)} ms)`));
}

/** By a durable process, without a limit of rows: what was written is checked by its hash. */
async function exportTo(
  { workspace, output, signal }: Context,
  of: { sql: string; at_versions?: Record<string, number> } | { table_id: string },
  format: string,
  file: string | undefined,
): Promise<void> {
  if (!exported.some((exportable) => exportable === format))
    throw new Failure(`An export can be ${exported.join(', ')}. Choose one with --format.`, exitCodes.usage);
  if (file === undefined) throw new Failure('Name the file to write: -o FILE', exitCodes.usage);
  const { data: begun } = await workspace.post('/v1/exports', {
    body: { ...of, format: format as Exported },
  });
  const bar = progressBar(file, output);
  const show = async () =>
    (await workspace.get('/v1/exports/{export_id}', { params: { path: { export_id: begun.id } } })).data;
  const onProgress = ({ rowsWritten }: { rowsWritten: number }) =>
    bar.at(0, `${counted(rowsWritten, 'row')} written`);
  const ended = await wait(show, { signal, onProgress }).finally(bar.end);
  if (ended.status !== 'succeeded')
    throw new Failure(
      ended.error === null ? `The export ended with the status ${ended.status}.` : plain(ended.error.message),
    );
  const [only] = ended.files;
  if (only?.url == null) throw new Failure('The files of the export no longer exist. Run the export again.');
  const response = await fetch(only.url, { signal });
  if (!response.ok) throw new Failure(`The storage answered ${response.status}.`);
  await writeWhole(Readable.fromWeb(response.body as never), file, only.sha256);
  output.show(
    ended,
    () => `${file}: ${counted(ended.rowsWritten, 'row')}, ${counted(only.sizeBytes, 'byte')}.`,
  );
}

/** Under another name until it is whole, and has the hash that was told. */
async function writeWhole(bytes: Readable, file: string, sha256?: string): Promise<void> {
  const target = await lstat(file).catch(() => undefined);
  if (target !== undefined && !target.isFile())
    throw new Failure(`${file} isn't a regular file. Choose another name, or write to standard output.`);
  const part = `${file}.${randomUUID().slice(0, 8)}.part`;
  const hash = createHash('sha256');
  const hashed = async function* (source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      hash.update(chunk);
      yield chunk;
    }
  };
  try {
    await pipeline(bytes, hashed, createWriteStream(part, { flags: 'wx' }));
    if (sha256 !== undefined && hash.digest('hex') !== sha256)
      throw new Failure(`${file} didn't arrive intact. Run the command again.`);
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
