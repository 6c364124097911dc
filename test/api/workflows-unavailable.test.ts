import { Client, Connection } from '@temporalio/client';
import { expect, test } from 'vitest';
import { buildApp } from '../../api/app.ts';
import { inOrganization } from '../../data/postgres/client.ts';
import { findProcessStart, insertProcessStart } from '../../data/postgres/process-starts.ts';
import { createProcesses } from '../../data/processes/processes.ts';
import { batchProcess } from '../../domain/intake/ingestion/process.ts';
import { useOrganization, useOwnWorkspace } from '../support/workspace.ts';

const workspace = useOwnWorkspace();
const client = useOrganization(workspace);

test('without workflows a start is 503 and leaves nothing behind, while reads and queries go on', async () => {
  const project = (await client.call('POST', '/v1/projects', { body: { name: 'Away' } })).body.data.id;
  const written = await client.call('PUT', `/v1/projects/${project}/files/content?path=a.csv`, {
    body: { content: 'a\n1\n' },
  });
  // Port 1 of loopback refuses connections: the service is certainly unreachable.
  const away = new Client({ connection: Connection.lazy({ address: '127.0.0.1:1' }) });
  const app = await buildApp({ ...workspace.deps, processes: createProcesses(workspace.deps.db, away) });
  const headers = { authorization: `Bearer ${await client.token()}`, 'content-type': 'application/json' };
  const url = `/v1/projects/${project}/files/${written.body.data.id}/imports`;
  const payload = JSON.stringify({ table_name: 'away' });
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const answer = await app.inject({ method: 'POST', url, headers, payload });
    expect([answer.statusCode, answer.json().code]).toEqual([503, 'workflows_unavailable']);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  }
  const left = await workspace.deps.lake.catalogPool.query(
    `SELECT id FROM table_imports UNION ALL SELECT workflow_id FROM process_starts UNION ALL SELECT id FROM tables WHERE kind <> 'system'`,
  );
  expect(left.rows).toEqual([]);
  const query = await app.inject({
    method: 'POST',
    url: '/v1/query-executions',
    headers,
    payload: '{"sql":"SELECT 1 AS one"}',
  });
  expect(query.json().data.rows).toEqual([{ one: 1 }]);
  await app.close();
});

test('maintenance that is asked for without workflows waits for them', async () => {
  const away = new Client({ connection: Connection.lazy({ address: '127.0.0.1:1' }) });
  const app = await buildApp({ ...workspace.deps, processes: createProcesses(workspace.deps.db, away) });
  const headers = { authorization: `Bearer ${await client.token()}` };
  const asked = await app.inject({ method: 'POST', url: '/v1/lake-maintenance/runs', headers });
  expect([asked.statusCode, asked.json().data.status]).toEqual([202, 'queued']);
  await app.close();
});

test('a start that may have been is not forgotten by a retry that was certainly refused', async () => {
  const { db } = workspace.deps;
  const { organizationId } = await workspace.organization();
  const input = {
    organizationId,
    batchId: 'bat_of_an_earlier_try',
    tableId: 'tbl_1',
    mode: 'append',
    expiresAtMs: Date.now() + 60_000,
    isReplay: false,
  };
  const start = batchProcess.startOf(input, { summary: 'A batch' });
  const pending = () =>
    inOrganization(db, organizationId, (transaction) =>
      findProcessStart(transaction, organizationId, start.workflowId),
    );
  await inOrganization(db, organizationId, (transaction) =>
    insertProcessStart(transaction, organizationId, start),
  );
  const away = new Client({ connection: Connection.lazy({ address: '127.0.0.1:1' }) });
  const starter = createProcesses(db, away);
  const again = start;
  await expect(starter.start(organizationId, again, undefined)).rejects.toThrow('answer');
  expect(await pending()).toBeDefined();
  await expect(starter.start(organizationId, again, async () => undefined)).rejects.toThrow('answer');
  expect(await pending()).toBeUndefined();
});

test('a batch cannot be opened without workflows, and one that is open is completed all the same', async () => {
  const made = await client.call('POST', '/v1/grid/tables', {
    body: { name: 'away', kind: 'data', columns: [{ name: 'a' }] },
  });
  const batches = `/v1/tables/${made.body.data.tableId}/ingestion-batches`;
  const opened = await client.call('POST', batches, { body: { mode: 'append' } });
  const away = new Client({ connection: Connection.lazy({ address: '127.0.0.1:1' }) });
  const app = await buildApp({ ...workspace.deps, processes: createProcesses(workspace.deps.db, away) });
  const headers = { authorization: `Bearer ${await client.token()}`, 'content-type': 'application/json' };
  const payload = JSON.stringify({ mode: 'append', client_batch_id: 'lost' });
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const refused = await app.inject({ method: 'POST', url: batches, headers, payload });
    expect([refused.statusCode, refused.json().code]).toEqual([503, 'workflows_unavailable']);
  }
  const batch = `${batches}/${opened.body.data.id}`;
  const page = await app.inject({
    method: 'PUT',
    url: `${batch}/pages/1`,
    headers,
    payload: '{"records":[]}',
  });
  expect(page.statusCode).toBe(200);
  // The manifest is stored: the worker wakes the process once Temporal is reachable.
  const completed = await app.inject({
    method: 'POST',
    url: `${batch}/complete`,
    headers,
    payload: '{"page_count":1}',
  });
  expect([completed.statusCode, completed.json().data.status]).toEqual([202, 'completing']);
  const left = await workspace.deps.lake.catalogPool.query('SELECT id FROM ingestion_batches');
  expect(left.rows).toEqual([{ id: opened.body.data.id }]);
  await app.close();
});
