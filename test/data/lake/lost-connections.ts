import pg from 'pg';
import { expect } from 'vitest';
import type { Workspace } from '../../support/workspace.ts';

const keysOfBlock = 60;
const rowsOf = (from: number, count: number, operation: number) =>
  Array.from({ length: count }, (_, index) => ({ s_id: from + index, op_no: operation }));

/**
 * Reads a table whose rows are replaced all the time, while all connections to its catalog are lost again and
 * again: every answer is right, or refused as storage that is away. DuckLake treats a connection lost while it
 * reads a table's deletions as "no deletions": replaced rows would be read again, by that statement and by
 * later ones.
 */
export async function readWhileConnectionsAreLost(
  workspace: Workspace,
  { keys, lastsMs }: { keys: number; lastsMs: number },
): Promise<void> {
  const client = await workspace.organization();
  const columns = [{ name: 'op_no', data_type: 'INTEGER' }];
  const made = await client.call('POST', '/v1/grid/tables', {
    body: { name: 'keyed', kind: 'data', columns },
  });
  const rows = `/v1/tables/${made.body.data.tableId}/rows`;
  for (let from = 0; from < keys; from += 2_000)
    expect((await client.call('POST', rows, { body: { rows: rowsOf(from, 2_000, 0) } })).status).toBe(200);

  const admin = new pg.Client({ connectionString: process.env['DATABASE_URL'] });
  await admin.connect();
  const { rows: named } = await workspace.deps.lake.catalogPool.query('SELECT current_database() AS name');
  const rightAnswer = `read 200 [{"n":${keys},"keys":${keys}}]`;
  const seen = new Set<string>();
  const untilMs = Date.now() + lastsMs;
  // On a slow machine a write may need longer than the interval between two disconnections; then the interval
  // is extended.
  const isOver = () => Date.now() > untilMs && seen.has('write 200 ') && seen.has(rightAnswer);

  async function loseConnections() {
    for (let pause = 0; !isOver(); pause = (pause + 137) % 500) {
      const lateMs = Math.max(0, Date.now() - untilMs) / 4;
      await admin.query('SELECT pg_sleep($1)', [(100 + pause + lateMs) / 1_000]);
      await admin.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND query ILIKE '%ducklake%'",
        [named[0].name],
      );
    }
  }

  let operation = 0;
  async function write() {
    while (!isOver()) {
      operation += 1;
      const from = ((operation * 7) % (keys / keysOfBlock)) * keysOfBlock;
      const body = { rows: rowsOf(Math.floor(from), keysOfBlock, operation) };
      const { status, body: answer } = await client.call('PUT', rows, { body });
      seen.add(`write ${status} ${answer?.code ?? ''}`);
    }
  }
  async function read() {
    const body = { sql: 'SELECT count(*) AS n, count(DISTINCT s_id) AS keys FROM keyed' };
    while (!isOver()) {
      const { status, body: answer } = await client.call('POST', '/v1/query-executions', { body });
      seen.add(
        `read ${status} ${status === 200 ? JSON.stringify(answer.data.rows) : `${answer?.code}${status === 400 ? answer.detail : ''}`}`,
      );
    }
  }
  await Promise.all([loseConnections(), write(), read(), read()]);
  await admin.end();

  const allowed = [
    'write 200 ',
    'write 503 storage_unavailable',
    rightAnswer,
    'read 429 queries_saturated',
    'read 503 storage_unavailable',
  ];
  expect([...seen].filter((one) => !allowed.includes(one))).toEqual([]);
}
