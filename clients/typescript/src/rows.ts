import type { Workspace } from './client.ts';
import type { components } from './schema.gen.ts';
import { type WaitOptions, wait } from './wait.ts';

export type IngestionBatch = components['schemas']['IngestionBatch'];

/** A row for a table: its `s_id` is an integer of your own, by which it is known. */
export type Row = { s_id: number } & Record<string, unknown>;

export type Rows = Iterable<Row> | AsyncIterable<Row>;

const rowsAtOnce = 1_000;
const maxRecords = 5_000;

async function* chunks(rows: Rows, size: number): AsyncGenerator<Row[], void, undefined> {
  let chunk: Row[] = [];
  for await (const row of rows) {
    chunk.push(row);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

export interface Written {
  rowsWritten: number;
  /** The version of the table with all of them; null if there were none. */
  tableVersion: number | null;
}

/**
 * Appends rows, a thousand a request: each request is all or nothing, durable when it is answered, and written
 * once however often its connection breaks. Many rows that must be seen together go by `ingest`.
 */
export async function appendRows(
  workspace: Workspace,
  tableId: string,
  rows: Rows,
  { onProgress }: { onProgress?: (rowsWritten: number) => void } = {},
): Promise<Written> {
  const written: Written = { rowsWritten: 0, tableVersion: null };
  for await (const chunk of chunks(rows, rowsAtOnce)) {
    const { data } = await workspace.post('/v1/tables/{table_id}/rows', {
      params: { path: { table_id: tableId } },
      body: { rows: chunk },
    });
    written.rowsWritten += data.rowsWritten;
    written.tableVersion = data.tableVersion;
    onProgress?.(written.rowsWritten);
  }
  return written;
}

export interface Ingestion extends WaitOptions<IngestionBatch> {
  mode: 'append' | 'upsert' | 'replace';
  /**
   * A name of your own for these records, unique in the table. The same name again finds the same batch: a program
   * that was killed starts again with the same records, and they are applied once.
   */
  name: string;
  /** What becomes of a field that is no column. */
  onNewField?: 'refuse' | 'add' | 'ignore';
  onBadRecord?: 'refuse' | 'quarantine';
  /** Pages under way at once. */
  concurrency?: number;
  onStaged?: (records: number) => void;
}

/**
 * Writes any number of records at once: nobody sees some of them, and they are applied exactly once. Resolves
 * with the batch when it is applied, has failed, or awaits a confirmation.
 */
export async function ingest(
  workspace: Workspace,
  tableId: string,
  records: Rows,
  { mode, name, onNewField, onBadRecord, concurrency = 4, onStaged, ...waiting }: Ingestion,
): Promise<IngestionBatch> {
  const table = { table_id: tableId };
  const { data: batch } = await workspace.post('/v1/tables/{table_id}/ingestion-batches', {
    params: { path: table },
    body: {
      mode,
      client_batch_id: name,
      ...(onNewField === undefined ? {} : { on_new_field: onNewField }),
      ...(onBadRecord === undefined ? {} : { on_bad_record: onBadRecord }),
    },
  });
  const path = { ...table, batch_id: batch.id };
  const show = async () =>
    (await workspace.get('/v1/tables/{table_id}/ingestion-batches/{batch_id}', { params: { path } })).data;
  if (batch.status === 'open') {
    const pages = await stage(workspace, path, records, concurrency, onStaged);
    await workspace.post('/v1/tables/{table_id}/ingestion-batches/{batch_id}/complete', {
      params: { path },
      body: { page_count: pages.length, pages },
    });
  }
  return wait(show, waiting);
}

interface StagedHash {
  page_number: number;
  sha256: string;
}

/** Stages the pages, some at once, and returns the manifest. A page that is staged already is found again. */
async function stage(
  workspace: Workspace,
  path: { table_id: string; batch_id: string },
  records: Rows,
  concurrency: number,
  onStaged: ((records: number) => void) | undefined,
): Promise<StagedHash[]> {
  const pages: StagedHash[] = [];
  let staged = 0;
  let pageNumber = 0;
  const put = async (page_number: number, page: Row[]) => {
    const { data } = await workspace.put(
      '/v1/tables/{table_id}/ingestion-batches/{batch_id}/pages/{page_number}',
      { params: { path: { ...path, page_number } }, body: { records: page } },
    );
    pages.push({ page_number, sha256: data.sha256 });
    staged += page.length;
    onStaged?.(staged);
  };
  const underWay = new Set<Promise<void>>();
  for await (const page of chunks(records, maxRecords)) {
    pageNumber += 1;
    const one: Promise<void> = put(pageNumber, page).finally(() => underWay.delete(one));
    underWay.add(one);
    if (underWay.size >= concurrency) await Promise.race(underWay);
  }
  await Promise.all(underWay);
  if (pageNumber === 0) await put(1, []);
  return pages.sort((one, other) => one.page_number - other.page_number);
}
