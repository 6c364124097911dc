import type { Workspace } from './client.ts';
import { ConnectionError, errorOf } from './errors.ts';
import type { components } from './schema.gen.ts';

export type QueryAnswer = components['schemas']['QueryAnswer'];

export interface Query {
  sql: string;
  /** Rows at most: of `query` up to 10,000, of streams a million. */
  limit?: number;
  timeoutMs?: number;
  /** Table id or name to version. */
  atVersions?: Record<string, number>;
  /** Maps by camelCase names, or every cell in order under its own name; default: maps. Of `query` alone. */
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
    body: { row_format: asked.rowFormat ?? 'rows', ...bodyOf(asked) },
    signal: asked.signal,
  });
  return data;
}

const types = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  arrow: 'application/vnd.apache.arrow.stream',
};

/** The bytes of an answer while the statement runs. They end with an error if they are not whole. */
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
  return response.body!;
}

/** The rows of an answer of up to a million, as they come: maps by the statement's own column names. */
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
      if (rest !== '') throw new ConnectionError('The answer ended in the middle of a row.');
      return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
