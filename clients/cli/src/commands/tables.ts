import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { type Command, Option } from 'commander';
import { appendRows, ConnectionError, ingest } from '../../../typescript/src/index.ts';
import { contextOf, tableOf } from '../context.ts';
import { exitCodes, Failure } from '../failure.ts';
import { counted, plain, progressBar, table } from '../output.ts';

const modes = ['append', 'upsert', 'replace'] as const;

export function tableCommands(program: Command): void {
  program
    .command('tables')
    .description('list tables and views, or describe one of them')
    .argument('[name]', 'name or id of a table')
    .action(async (name: string | undefined, _: object, command: Command) => {
      const context = await contextOf(command);
      const { workspace, output } = context;
      if (name !== undefined) {
        const { id } = await tableOf(context, name);
        const { data } = id.startsWith('tbl_')
          ? await workspace.get('/v1/tables/{table_id}/catalog', { params: { path: { table_id: id } } })
          : await workspace.get('/v1/views/{view_id}/catalog', { params: { path: { view_id: id } } });
        const rows = data.columns.map((column) => [column.name, column.dataType, column.description]);
        return output.show(
          data,
          () =>
            `${plain(data.name)} ${output.dim(id)} ${plain(data.description)}\n\n${table(['column', 'type', 'description'], rows)}`,
        );
      }
      const [{ tables }, { views }] = await Promise.all([
        workspace.get('/v1/tables'),
        workspace.get('/v1/views'),
      ]);
      const own = tables.filter(({ kind, queryable }) => kind !== 'system' || queryable);
      output.list([...own, ...views], 'There are no tables. Import a file: workspace import FILE', {
        name: ({ name }) => name,
        kind: (one) => ('kind' in one ? one.kind : 'view'),
        rows: (one) => ('rowCount' in one ? one.rowCount : null),
        id: ({ id }) => id,
      });
    });

  program
    .command('append')
    .description('append rows: one JSON object per line, each with an integer s_id')
    .argument('<table>', 'name or id of a table')
    .argument('[file]', 'NDJSON file, or - for standard input', '-')
    .option('--batch <name>', 'write all rows or none, exactly once; the same name continues the same batch')
    .addOption(new Option('--mode <mode>', 'mode of the batch (default: append)').choices(modes))
    .action(
      async (
        name: string,
        file: string,
        options: { batch?: string; mode?: (typeof modes)[number] },
        command: Command,
      ) => {
        const context = await contextOf(command);
        const { workspace, output, signal } = context;
        const { id } = await tableOf(context, name);
        const { batch: batchName, mode } = options;
        if (batchName === undefined && mode !== undefined)
          throw new Failure('--mode applies only to a batch. Name the batch with --batch.', exitCodes.usage);
        const rows = rowsOf(file);
        if (batchName === undefined) {
          let count = 0;
          const onProgress = (rowsWritten: number) => {
            count = rowsWritten;
          };
          const written = await appendRows(workspace, id, rows, { onProgress, signal }).catch(
            (error: unknown) => {
              const mayBeThere = signal.aborted || error instanceof ConnectionError;
              const least = mayBeThere ? 'At least ' : '';
              if (count > 0)
                output.hint(
                  `${least}${counted(count, 'row')} appended before the failure. They stay in the table.`,
                );
              if (mayBeThere) output.hint('The rows of the last request may be in the table too.');
              throw error;
            },
          );
          return output.show(
            written,
            () =>
              `${counted(written.rowsWritten, 'row')} appended, version ${written.tableVersion ?? 'as before'}.`,
          );
        }
        const bar = progressBar(name, output);
        const onStaged = (count: number) => bar.at(0, `${count} staged`);
        const ingestion = { mode: mode ?? 'append', name: batchName, onStaged, signal } as const;
        const batch = await ingest(workspace, id, rows, ingestion).finally(bar.end);
        output.show(
          batch,
          () =>
            `Batch ${batch.status}: ${batch.rowsInserted ?? 0} inserted, ${batch.rowsUpdated ?? 0} updated.`,
        );
        if (batch.status !== 'applied')
          throw new Failure(
            batch.error === null ? `The batch is ${batch.status}.` : plain(batch.error.message),
          );
      },
    );
}

/** The lines as they are, so that numbers of any size arrive. */
async function* rowsOf(file: string): AsyncGenerator<string> {
  const input = file === '-' ? process.stdin : createReadStream(file);
  let at = 0;
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    at += 1;
    if (line.trim() === '') continue;
    let row: unknown;
    try {
      row = JSON.parse(line);
    } catch (error) {
      throw new Failure(`Line ${at} isn't a JSON object: ${(error as Error).message}`);
    }
    if (typeof row !== 'object' || row === null || Array.isArray(row))
      throw new Failure(`Line ${at} isn't a JSON object.`);
    yield line;
  }
}
