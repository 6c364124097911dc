import { afterAll, beforeAll, expect, test } from 'vitest';
import { commitOperations } from '../../../data/lake/commit.ts';
import { indexStatements } from '../../../data/lake/ducklake/indexes.ts';
import type { Lakes } from '../../../service/engine-process/open.ts';
import { type CommitDelay, startCommitDelay } from '../../support/commit-delay.ts';
import { eventually } from '../../support/eventually.ts';
import { openOtherLakes } from '../../support/lakes.ts';
import { useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();
let delay: CommitDelay;
/** Lakes of another process, whose engine reaches PostgreSQL over a connection that can be slowed down. */
let slow: Lakes;

beforeAll(async () => {
  delay = await startCommitDelay(workspace.databaseUrl);
  slow = openOtherLakes(delay.databaseUrl, 'slow');
});
afterAll(async () => {
  await slow.close();
  await delay.close();
});

async function newTable() {
  const client = await workspace.organization();
  const made = await client.call('POST', '/v1/grid/tables', {
    body: { name: 'readings', kind: 'data', columns: [{ name: 'amount', data_type: 'INTEGER' }] },
  });
  const tableId = made.body.data.tableId as string;
  const append = () =>
    client.call('POST', `/v1/tables/${tableId}/rows`, { body: { rows: [{ s_id: 1, amount: 1 }] } });
  const lake = await slow.lake.catalog.get(client.organizationId);
  /** The same row by the other process, committed as the operation `id`. */
  const appendSlowly = (id: string) =>
    slow.lake.locks.hold(tableId, () =>
      commitOperations(slow.lake, lake, async (connection) => {
        await connection.run('INSERT INTO readings (s_id, amount, _sm_created_at) VALUES (1, 1, now())');
        const counts = { operation: 'append', rowsAdded: 1, rowsRemoved: 0 } as const;
        return [{ id, tableId, ...counts, runId: null, committedBy: 'test' }];
      }),
    );
  const rows = async () => {
    const sql = 'SELECT count(*) AS n, count(DISTINCT s_id) AS ids FROM readings';
    const answer = await client.call('POST', '/v1/query-executions', { body: { sql, row_format: 'rows' } });
    return answer.body.data.rows[0];
  };
  return { schema: lake.schema, tableId, append, appendSlowly, rows };
}

/** Ends the engine with SIGKILL, and waits no longer than needed. */
async function killEngine(): Promise<void> {
  for (const pid of slow.lake.engine.processIds()) process.kill(pid, 'SIGKILL');
  await eventually(
    async () => slow.lake.engine.processIds(),
    (pids) => pids.length === 0,
  );
}

async function waitingForLocks(): Promise<number> {
  const { rowCount } = await workspace.deps.lake.catalogPool.query(
    `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  return rowCount ?? 0;
}

test('a COMMIT that its engine did not live to see is waited for, and answered as it ended', async () => {
  const { append, appendSlowly, rows } = await newTable();
  const came = delay.holdNext();
  const committing = appendSlowly('test:first');
  await came;
  await killEngine();
  // The next writer of the table, in another process, has to wait as well.
  const repeated = append();
  await eventually(waitingForLocks, (sessions) => sessions === 2);
  delay.letGo();
  expect(await committing).toBeGreaterThan(0);
  expect(await repeated).toMatchObject({ status: 409, body: { code: 'duplicate_row_id' } });
  expect(await rows()).toEqual({ n: 1, ids: 1 });
});

test('a COMMIT under way holds off the next writer where the lock of its own was lost', async () => {
  const { tableId, append, appendSlowly, rows } = await newTable();
  const came = delay.holdNext();
  const committing = appendSlowly('test:lost-lock');
  committing.catch(() => undefined);
  await came;
  await workspace.deps.lake.catalogPool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_locks
     WHERE locktype = 'advisory' AND granted
       AND (classid::bigint << 32 | objid::bigint) = hashtextextended($1, 0)`,
    [`table:${tableId}`],
  );
  const repeated = append();
  await eventually(waitingForLocks, (sessions) => sessions === 1);
  delay.letGo();
  await committing;
  expect(await repeated).toMatchObject({ status: 409, body: { code: 'duplicate_row_id' } });
  expect(await rows()).toEqual({ n: 1, ids: 1 });
});

test('a session that never sends its COMMIT is ended, so that the table is free again', async () => {
  const { schema, append, appendSlowly, rows } = await newTable();
  await endAfter(schema, '1s');
  const came = delay.holdNext();
  const committing = appendSlowly('test:never');
  committing.catch(() => undefined);
  await came;
  await killEngine();
  expect((await append()).status).toBe(200);
  await expect(committing).rejects.toMatchObject({ code: 'storage_unavailable' });
  expect(await rows()).toEqual({ n: 1, ids: 1 });
});

test('a lake that an older release made gets what it lacks when it is next used', async () => {
  const client = await workspace.organization();
  const { catalog, catalogPool } = workspace.deps.lake;
  const { schema } = await catalog.get(client.organizationId);
  const functions = async () => {
    const { rows } = await catalogPool.query<{ proname: string }>(
      'SELECT proname FROM pg_proc WHERE pronamespace = $1::regnamespace ORDER BY 1',
      [schema],
    );
    return rows.map(({ proname }) => proname);
  };
  const indexes = async () => {
    const { rows } = await catalogPool.query<{ indexname: string }>(
      `SELECT indexname FROM pg_indexes WHERE schemaname = $1 AND indexname LIKE 'ducklake%_by_%' ORDER BY 1`,
      [schema],
    );
    return rows.map(({ indexname }) => indexname);
  };
  const today = await functions();
  const indexed = await indexes();
  expect(indexed).toHaveLength(indexStatements(schema).length);
  expect(today).toEqual([
    ...['hold_off_writers', 'record_foreign_changes', 'record_operations', 'remove_flushed_deletions'],
  ]);
  for (const name of ['hold_off_writers', 'record_foreign_changes', 'remove_flushed_deletions'])
    await catalogPool.query(`DROP FUNCTION "${schema}".${name} CASCADE`);
  for (const name of indexed) await catalogPool.query(`DROP INDEX "${schema}".${name}`);
  await catalogPool.query('UPDATE lakes SET catalog_version = 0 WHERE organization_id = $1', [
    client.organizationId,
  ]);
  await slow.lake.catalog.get(client.organizationId);
  expect(await functions()).toEqual(today);
  expect(await indexes()).toEqual(indexed);
});

/** Gives the lake's commits less time than their usual half minute. */
async function endAfter(schema: string, time: string): Promise<void> {
  const { catalogPool } = workspace.deps.lake;
  const { rows } = await catalogPool.query<{ definition: string }>(
    'SELECT pg_get_functiondef($1::regproc) AS definition',
    [`${schema}.hold_off_writers`],
  );
  const { definition } = rows[0]!;
  expect(definition).toContain("'30s'");
  await catalogPool.query(definition.replace("'30s'", `'${time}'`));
}
