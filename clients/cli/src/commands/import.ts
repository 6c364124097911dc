import { randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Command, Option } from 'commander';
import { tableNameOf, uploadFile, WorkspaceError, wait } from '../../../typescript/src/index.ts';
import { type Context, contextOf } from '../context.ts';
import { exitCodes, Failure } from '../failure.ts';
import { counted, plain, progressBar, table } from '../output.ts';

interface ImportOptions {
  table?: string;
  mode: string;
  preview?: boolean;
  badRows: string;
  attach: boolean;
}

const modes = ['create', 'replace', 'append'] as const;

export function importCommand(program: Command): void {
  program
    .command('import')
    .description('upload files and import each one into a table')
    .argument('<file...>', 'CSV, Parquet, JSON, NDJSON or XLSX, compressed or not')
    .option('--table <name>', 'name of the table (default: the name of the file)')
    .addOption(new Option('--mode <mode>', 'what to do if the table exists').choices(modes).default('create'))
    .option('--preview', 'show how each file would be read, and import nothing')
    .addOption(
      new Option('--bad-rows <what>', "what to do with rows that don't fit")
        .choices(['fail', 'quarantine'])
        .default('fail'),
    )
    .option('--no-attach', "don't attach the table to the project, so its analyst can't read it")
    .action(async (files: string[], options: ImportOptions, command: Command) => {
      const targets = files.map((file) => options.table ?? tableNameOf(basename(file)));
      if (options.mode !== 'append' && options.preview !== true && new Set(targets).size < targets.length)
        throw new Failure('To import several files into one table, use --mode append.', exitCodes.usage);
      for (const file of files)
        if (!(await stat(file).catch(() => undefined))?.isFile())
          throw new Failure(`There is no file ${file}.`);
      const context = await contextOf(command);
      const projectId = await context.project();
      const done: unknown[] = [];
      for (const file of files) done.push(await importFile(context, projectId, file, options));
      if (context.output.json) context.output.show(done, () => '');
    });
}

async function importFile(context: Context, projectId: string, file: string, options: ImportOptions) {
  const { workspace, output, signal } = context;
  const bar = progressBar(basename(file), output);
  const content = await openAsBlob(file);
  const onProgress = (sent: number, total: number) => bar.at(total === 0 ? 1 : sent / total, 'uploading');
  // Of its own: two people may import files of one name at once.
  const path = `imports/${new Date().toISOString().slice(0, 10)} ${randomUUID().slice(0, 8)}/${basename(file)}`;
  const uploaded = await uploadFile(workspace, { projectId, path, content, onProgress, signal }).finally(
    bar.end,
  );
  const at = { params: { path: { project_id: projectId, file_id: uploaded.id } } };
  if (options.preview) {
    return preview(context, uploaded.id, file).finally(() =>
      workspace.delete('/v1/projects/{project_id}/files/{file_id}', at).catch(() => undefined),
    );
  }
  const tableName = options.table ?? tableNameOf(basename(file));
  const asked = {
    table_name: tableName,
    mode: options.mode as (typeof modes)[number],
    on_bad_row: options.badRows as 'fail' | 'quarantine',
  };
  const { data: begun } = await workspace
    .post('/v1/projects/{project_id}/files/{file_id}/imports', { ...at, body: asked })
    .catch((error: unknown) => {
      if (error instanceof WorkspaceError && error.code === 'name_taken')
        output.hint(
          'Use --mode append to add the rows to that table, or --mode replace to replace its rows.',
        );
      throw error;
    });
  const show = async () =>
    (await workspace.get('/v1/table-imports/{import_id}', { params: { path: { import_id: begun.id } } }))
      .data;
  const ended = await wait(show, { signal, onProgress: ({ progress }) => bar.at(progress, 'importing') })
    .catch((error: unknown) => {
      if (signal.aborted) output.hint(`The import continues. See it: workspace runs show ${begun.id}`);
      throw error;
    })
    .finally(bar.end);
  if (ended.status !== 'succeeded')
    throw new Failure(`${file}: ${ended.error === null ? ended.status : plain(ended.error.message)}`);
  if (options.attach)
    await workspace.post('/v1/projects/{project_id}/catalog-entries', {
      params: { path: { project_id: projectId } },
      body: { table_id: ended.tableId },
    });
  if (!output.json) {
    const quarantined = ended.rowsQuarantined > 0 ? `, ${ended.rowsQuarantined} quarantined` : '';
    output.show(
      ended,
      () => `${plain(tableName)}: ${counted(ended.rowsImported ?? 0, 'row')}${quarantined}.`,
    );
  }
  return ended;
}

async function preview({ workspace, output }: Context, assetId: string, file: string) {
  const { data } = await workspace.post('/v1/assets/{asset_id}/previews', {
    params: { path: { asset_id: assetId } },
    body: { page_size: 10 },
  });
  const heads = data.columns.map(({ targetName, dataType }) => `${targetName} ${dataType}`);
  if (!output.json)
    output.show(data, () => `${file}, ${data.totalRows ?? 'unknown'} rows\n${table(heads, data.rows)}`);
  return data;
}
