import type { Workspace } from './client.ts';
import { errorOf } from './errors.ts';
import type { components } from './schema.gen.ts';
import { type WaitOptions, wait } from './wait.ts';

export type IngestionBatch = components['schemas']['IngestionBatch'];

/** A row for a table: its `s_id` is an integer of your own, by which it is known. */
export type Row = { s_id: number } & Record<string, unknown>;

/** Rows as objects, or each as the text of its JSON, which is sent as it is: with numbers of any size. */
export type Rows = Iterable<Row | string> | AsyncIterable<Row | string>;

const rowsAtOnce = 1_000;
const maxRecords = 5_000;
/** Of a request, in characters; bodies of rows may have 32 MiB. */
const maxText = 8_000_000;

/** Requests of at most so many rows, as JSON text. */
async function* chunks(
  rows: Rows,
  size: number,
): AsyncGenerator<{ text: string; count: number }, void, undefined> {
  let texts: string[] = [];
  let length = 0;
  const taken = () => {
    const chunk = { text: texts.join(','), count: texts.length };
    texts = [];
    length = 0;
    return chunk;
  };
  for await (const row of rows) {
    const text = typeof row === 'string' ? row : textOf(row);
    if (texts.length > 0 && length + text.length > maxText) yield taken();
    texts.push(text);
    length += text.length;
    if (texts.length === size) yield taken();
  }
  if (texts.length > 0) yield taken();
}

function textOf(row: Row): string {
  if (!Number.isSafeInteger(row.s_id))
    throw new RangeError(`The s_id ${row.s_id} isn't a safe integer. Pass the row as JSON text instead.`);
  return JSON.stringify(row);
}

/** Sends a body as it is. */
async function sendBody<Data>(
  workspace: Workspace,
  [method, path]: readonly ['POST' | 'PUT', string],
  { body, contentType = 'application/json' }: { body: string | Bytes; contentType?: string | undefined },
  signal: AbortSignal | undefined,
): Promise<Data> {
  const response = await workspace.send(path, {
    method,
    body,
    headers: { 'content-type': contentType },
    signal,
  });
  if (!response.ok) throw await errorOf(response);
  return ((await response.json()) as { data: Data }).data;
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
  { onProgress, signal }: { onProgress?: (rowsWritten: number) => void; signal?: AbortSignal } = {},
): Promise<Written> {
  const written: Written = { rowsWritten: 0, tableVersion: null };
  const path = `/v1/tables/${encodeURIComponent(tableId)}/rows`;
  for await (const { text } of chunks(rows, rowsAtOnce)) {
    const answer = await sendBody<{ rowsWritten: number; tableVersion: number }>(
      workspace,
      ['POST', path],
      { body: `{"rows":[${text}]}` },
      signal,
    );
    written.rowsWritten += answer.rowsWritten;
    written.tableVersion = answer.tableVersion;
    onProgress?.(written.rowsWritten);
  }
  return written;
}

export interface Ingestion extends WaitOptions<IngestionBatch> {
  mode: 'append' | 'upsert' | 'replace';
  /**
   * A name of your own for these records, unique in the table. The same name again finds the same batch: a program
   * that was killed starts again with the same records, and they are applied once. Other records under it are
   * refused.
   */
  name: string;
  /** What becomes of a field that is no column. */
  onNewField?: 'refuse' | 'add' | 'ignore';
  onBadRecord?: 'refuse' | 'quarantine';
  /** Pages under way at once. */
  concurrency?: number;
  onStaged?: (records: number) => void;
}

type Bytes = Uint8Array<ArrayBuffer>;

/** A table in columns: a Parquet file, or an Arrow IPC stream, with at most 200,000 rows and 32 MiB. */
export interface ColumnPage {
  format: 'parquet' | 'arrow';
  bytes: Bytes;
}

export type ColumnPages = Iterable<ColumnPage> | AsyncIterable<ColumnPage>;

/**
 * Writes any number of records at once: nobody sees some of them, and they are applied exactly once. Resolves
 * with the batch when it is applied, has failed, or awaits a confirmation.
 */
export function ingest(
  workspace: Workspace,
  tableId: string,
  records: Rows,
  options: Ingestion,
): Promise<IngestionBatch> {
  return ingestPages(workspace, tableId, pagesOfRecords(records), options);
}

/** The same with records in columns, each page as you have it; `onStaged` counts pages. */
export function ingestColumns(
  workspace: Workspace,
  tableId: string,
  pages: ColumnPages,
  options: Ingestion,
): Promise<IngestionBatch> {
  return ingestPages(workspace, tableId, pagesOfColumns(pages), options);
}

interface PageToSend {
  body: string | Bytes;
  contentType?: string;
  count: number;
}

async function* pagesOfRecords(records: Rows): AsyncGenerator<PageToSend, void, undefined> {
  let isEmpty = true;
  for await (const { text, count } of chunks(records, maxRecords)) {
    isEmpty = false;
    yield { body: `{"records":[${text}]}`, count };
  }
  if (isEmpty) yield { body: '{"records":[]}', count: 0 };
}

const columnTypes = {
  parquet: 'application/vnd.apache.parquet',
  arrow: 'application/vnd.apache.arrow.stream',
} as const;

async function* pagesOfColumns(pages: ColumnPages): AsyncGenerator<PageToSend, void, undefined> {
  let isEmpty = true;
  for await (const { format, bytes } of pages) {
    isEmpty = false;
    yield { body: bytes, contentType: columnTypes[format], count: 1 };
  }
  if (isEmpty) yield { body: '{"records":[]}', count: 0 };
}

async function ingestPages(
  workspace: Workspace,
  tableId: string,
  source: AsyncIterable<PageToSend>,
  { mode, name, onNewField, onBadRecord, concurrency = 4, onStaged, ...waiting }: Ingestion,
): Promise<IngestionBatch> {
  const table = { table_id: tableId };
  const { data: batch } = await workspace.post('/v1/tables/{table_id}/ingestion-batches', {
    params: { path: table },
    body: {
      mode,
      client_batch_id: name,
      on_new_field: onNewField,
      on_bad_record: onBadRecord,
    },
    signal: waiting.signal,
  });
  const path = { ...table, batch_id: batch.id };
  const show = async () =>
    (await workspace.get('/v1/tables/{table_id}/ingestion-batches/{batch_id}', { params: { path } })).data;
  // Of a batch that is complete already, the same records are found again, and other ones are refused.
  if (!hasFailed.has(batch.status)) {
    const at = `/v1/tables/${encodeURIComponent(tableId)}/ingestion-batches/${batch.id}/pages`;
    const pages = await stage(workspace, at, source, { concurrency, onStaged, signal: waiting.signal });
    await workspace.post('/v1/tables/{table_id}/ingestion-batches/{batch_id}/complete', {
      params: { path },
      body: { page_count: pages.length, pages },
      signal: waiting.signal,
    });
  }
  return wait(show, waiting);
}

const hasFailed: ReadonlySet<string> = new Set(['failed', 'aborted', 'expired']);

interface StagedHash {
  page_number: number;
  sha256: string;
}

interface Staging {
  concurrency: number;
  onStaged: ((records: number) => void) | undefined;
  signal: AbortSignal | undefined;
}

/** Stages the pages, some at once, and returns the manifest of all of them, or throws the first failure. */
async function stage(
  workspace: Workspace,
  path: string,
  source: AsyncIterable<PageToSend>,
  { concurrency, onStaged, signal }: Staging,
): Promise<StagedHash[]> {
  const pages: StagedHash[] = [];
  const underWay = new Set<Promise<void>>();
  const failed = new AbortController();
  const either = signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal]);
  let failure: { error: unknown } | undefined;
  let staged = 0;
  let pageNumber = 0;

  async function put(page_number: number, { count, ...page }: PageToSend): Promise<void> {
    try {
      const { sha256 } = await sendBody<{ sha256: string }>(
        workspace,
        ['PUT', `${path}/${page_number}`],
        page,
        either,
      );
      pages.push({ page_number, sha256 });
      staged += count;
      onStaged?.(staged);
    } catch (error) {
      failure ??= { error };
      failed.abort();
    }
  }
  function begin(page: PageToSend): void {
    pageNumber += 1;
    const upload: Promise<void> = put(pageNumber, page).finally(() => underWay.delete(upload));
    underWay.add(upload);
  }

  try {
    for await (const page of source) {
      begin(page);
      if (underWay.size >= concurrency) await Promise.race(underWay);
      if (failure !== undefined) break;
    }
  } catch (error) {
    failure ??= { error };
    failed.abort();
  }
  await Promise.all(underWay);
  if (failure !== undefined) throw failure.error;
  return pages.sort((a, b) => a.page_number - b.page_number);
}
