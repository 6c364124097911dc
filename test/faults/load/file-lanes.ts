import type { FaultClient } from '../client.ts';
import { createRandom } from '../random.ts';
import type { Lane, LoadContext } from './context.ts';
import { pauseBetween } from './rows-lanes.ts';

/** The outcome of a file, as far as its import has reported. */
interface FiledFile {
  rows: number;
  status: 'under way' | 'succeeded' | 'failed' | 'cancelled';
}

/** An imported table to which files are appended: each completely and once, or not at all. */
export interface Filed {
  /** The files by the number that each of their rows has. */
  files: Map<number, FiledFile>;
}

const tableName = 'filed';
const mostRows = 400;

export async function prepareFiled(client: FaultClient, projectId: string): Promise<Filed> {
  const id = await sendFile(client, projectId, 0, 1);
  const settled = await client.settle({
    kind: 'first file',
    method: 'POST',
    path: `/v1/projects/${projectId}/files/${id}/imports`,
    body: { table_name: tableName, mode: 'replace' },
  });
  if (settled.outcome !== 'acknowledged') throw new Error(`${tableName}: ${JSON.stringify(settled)}`);
  const path = `/v1/projects/${projectId}/runs/${settled.answer.body.data?.['id']}`;
  for (;;) {
    const shown = await client.settle({ kind: 'first file', method: 'GET', path });
    const run = shown.outcome === 'acknowledged' ? shown.answer.body.data : undefined;
    if (run?.['status'] === 'succeeded') return { files: new Map([[0, { rows: 1, status: 'succeeded' }]]) };
    if (run === undefined || run['finishedAt'] !== null)
      throw new Error(`${tableName}: ${JSON.stringify(run)}`);
  }
}

/** Sends a file with that many rows, and returns its id; undefined if that failed. */
async function sendFile(
  client: FaultClient,
  projectId: string,
  operation: number,
  rows: number,
): Promise<string | undefined> {
  const lines = Array.from({ length: rows }, (_, line) => `${operation},${line}\n`);
  const settled = await client.settle({
    kind: 'file to append',
    method: 'PUT',
    path: `/v1/projects/${projectId}/files/content?path=filed/${operation}.csv`,
    body: { content: `op_no,line\n${lines.join('')}` },
    idempotencyKey: `filed-file-${operation}`,
  });
  return settled.outcome === 'acknowledged' ? String(settled.answer.body.data?.['id']) : undefined;
}

export function fileLanes(context: LoadContext, seed: number): Lane[] {
  return [fileLane(context, seed, 1), fileLane(context, seed, 2), fileReaderLane(context, seed)];
}

/** Appends one file after the other, some twice with the same key, and cancels some of the imports. */
function fileLane(context: LoadContext, seed: number, lane: number): Lane {
  const random = createRandom(seed, `files ${lane}`);
  let count = 0;
  return {
    name: `files ${lane}`,
    async step() {
      count += 1;
      const operation = lane * 1_000_000 + count;
      const rows = random.int(1, mostRows);
      const isRepeated = random.chance(0.3);
      const cancelAfterMs = random.chance(0.2) ? random.int(0, 800) : undefined;
      const pauseMs = random.int(100, 1_000);
      await append(context, operation, { rows, isRepeated, cancelAfterMs });
      await pauseBetween(context, pauseMs);
    },
  };
}

async function append(
  context: LoadContext,
  operation: number,
  {
    rows,
    isRepeated,
    cancelAfterMs,
  }: { rows: number; isRepeated: boolean; cancelAfterMs: number | undefined },
): Promise<void> {
  const { client, journal, projectId, filed, signal } = context;
  const fileId = await sendFile(client, projectId, operation, rows);
  if (fileId === undefined) return;
  filed.files.set(operation, { rows, status: 'under way' });
  const ask = () =>
    client.settle({
      kind: 'append of a file',
      method: 'POST',
      path: `/v1/projects/${projectId}/files/${fileId}/imports`,
      body: { table_name: tableName, mode: 'append' },
      idempotencyKey: `filed-${operation}`,
    });
  const started = await ask();
  if (started.outcome === 'refused') {
    // A table takes one import at a time: the rows of a refused one must never be seen.
    filed.files.set(operation, { rows, status: 'cancelled' });
    if (started.answer.body.code === 'conflict') journal.count('files', 'refused beside another import');
    else journal.breach('unexpected', `file ${operation}: ${JSON.stringify(started.answer.body)}`);
  }
  if (started.outcome !== 'acknowledged') return;
  const path = `/v1/projects/${projectId}/runs/${started.answer.body.data?.['id']}`;
  if (isRepeated) await ask();
  if (cancelAfterMs !== undefined) {
    await pauseBetween(context, cancelAfterMs);
    await client.settle({ kind: 'cancel of a file', method: 'POST', path: `${path}/cancel?confirm=true` });
  }
  while (!signal.aborted) {
    const shown = await client.attempt({ kind: 'run of a file', method: 'GET', path });
    const run = shown?.status === 200 ? shown.body.data : undefined;
    if (run !== undefined && run['finishedAt'] !== null) {
      const status = run['status'] as FiledFile['status'];
      filed.files.set(operation, { rows, status });
      journal.count('files', status);
      if (status === 'failed')
        journal.breach('unexpected', `file ${operation}: ${JSON.stringify(run['error'])}`);
      return;
    }
    await pauseBetween(context, 200);
  }
}

/** Compares the table's content with the known outcome of every file. */
function fileReaderLane(context: LoadContext, seed: number): Lane {
  const random = createRandom(seed, 'file reader');
  return {
    name: 'file reader',
    async step() {
      await readFiles(context);
      await pauseBetween(context, random.int(100, 500));
    },
  };
}

async function readFiles({ client, journal, filed }: LoadContext): Promise<void> {
  const before = new Map(filed.files);
  const sql = `SELECT op_no, count(*) AS seen, count(DISTINCT line) AS lines FROM ${tableName} GROUP BY op_no`;
  const answer = await client.attempt({
    kind: 'file query',
    method: 'POST',
    path: '/v1/query-executions',
    body: { sql, limit: 10_000, row_format: 'rows', timeout_ms: 6_000 },
  });
  if (answer?.status !== 200) return;
  journal.count('readers', 'file answers looked through');
  const found = new Map<number, number>();
  for (const row of (answer.body.data?.['rows'] ?? []) as Record<string, unknown>[]) {
    const operation = Number(row['opNo']);
    found.set(operation, Number(row['seen']));
    if (row['seen'] !== row['lines']) journal.breach('doubled', `file ${operation}: ${JSON.stringify(row)}`);
    const rows = filed.files.get(operation)?.rows;
    if (Number(row['lines']) !== rows)
      journal.breach('half', `file ${operation} of ${rows} rows: ${JSON.stringify(row)}`);
  }
  for (const [operation, { rows, status }] of before) {
    if (status === 'under way') continue;
    const expected = status === 'succeeded' ? rows : undefined;
    if (found.get(operation) !== expected)
      journal.breach(
        'invisible',
        `file ${operation} is ${status} and shows ${found.get(operation)} of ${rows}`,
      );
  }
}
