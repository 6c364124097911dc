import type { Workspace } from './client.ts';
import { ConnectionError, errorOf, TruncatedError } from './errors.ts';
import type { components } from './schema.gen.ts';

export type QueryAnswer = components['schemas']['QueryAnswer'];

export interface Query {
  sql: string;
  /** Rows at most: of `query` up to 10,000, of streams a million. */
  limit?: number;
  timeoutMs?: number;
  /** Table id or name to version. */
  atVersions?: Record<string, number>;
  /**
   * As the interface has them: maps by camelCase names, or every cell in order under its own name. Left out, rows
   * are maps by the statement's own names, as those of `queryRows`. Of `query` alone.
   */
  rowFormat?: 'both' | 'rows' | 'rows_with_column_order';
  signal?: AbortSignal;
}

const bodyOf = ({ sql, limit, timeoutMs, atVersions }: Query) => ({
  sql,
  limit,
  timeout_ms: timeoutMs,
  at_versions: atVersions,
});

/** Rows in the format that is asked for, the columns in their order, and the versions that were read. */
export async function query(workspace: Workspace, asked: Query): Promise<QueryAnswer> {
  const { data } = await workspace.post('/v1/query-executions', {
    body: { row_format: asked.rowFormat ?? 'rows_with_column_order', ...bodyOf(asked) },
    signal: asked.signal,
  });
  if (asked.rowFormat !== undefined) return data;
  const { rows_with_column_order: cells = [], ...answer } = data;
  return {
    ...answer,
    rows: cells.map((row) => Object.fromEntries(row.map(({ name, value }) => [name, value]))),
  };
}

const types = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  arrow: 'application/vnd.apache.arrow.stream',
};

/**
 * The bytes of an answer while the statement runs. They end with an error if they are not whole: with a
 * `TruncatedError` after a million rows, if there are more and no limit was asked for.
 */
export async function queryStream(
  workspace: Workspace,
  asked: Query & { format: keyof typeof types },
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const response = await workspace.send('/v1/query-executions', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: types[asked.format] },
    body: JSON.stringify(bodyOf(asked)),
    signal: asked.signal,
  });
  if (!response.ok) throw await errorOf(response);
  const id = response.headers.get('x-query-execution-id');
  if (asked.limit !== undefined || id === null) return response.body!;
  // A stream that ends at the service's limit looks whole: only its record says that it is not.
  const flush = async () => {
    const { data } = await workspace.get('/v1/query-executions/{query_execution_id}', {
      params: { path: { query_execution_id: id } },
      signal: asked.signal,
    });
    if (data.truncated === true) throw new TruncatedError(data.rowCount ?? 0);
  };
  return response.body!.pipeThrough(new TransformStream({ flush }));
}

/**
 * The rows of an answer as they come: maps by the statement's own column names. After a million they end with
 * a `TruncatedError`, if there are more and no limit was asked for.
 */
export async function* queryRows<Row = Record<string, unknown>>(
  workspace: Workspace,
  asked: Query,
): AsyncGenerator<Row, void, undefined> {
  const body = await queryStream(workspace, { ...asked, format: 'ndjson' });
  const reader = (body as ReadableStream<never>).pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value = '' } = await reader.read();
      const lines = (rest + value).split('\n');
      rest = lines.pop()!;
      for (const line of lines) if (line !== '') yield JSON.parse(line) as Row;
      if (!done) continue;
      // Whole answers end with a line's end.
      if (rest !== '') throw new ConnectionError('The response ended in the middle of a row.');
      return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
