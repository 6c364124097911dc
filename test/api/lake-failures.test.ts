import { afterEach, expect, test, vi } from 'vitest';
import { useOwnWorkspace } from '../support/workspace.ts';

const workspace = useOwnWorkspace();
afterEach(() => vi.restoreAllMocks());

async function newRows() {
  const client = await workspace.organization();
  const body = { name: 'readings', kind: 'data', columns: [{ name: 'amount', data_type: 'INTEGER' }] };
  const made = await client.call('POST', '/v1/grid/tables', { body });
  const url = `/v1/tables/${made.body.data.tableId}/rows`;
  return { client, url, body: { rows: [{ s_id: 1, amount: 1 }] } };
}

test.each([
  'IO Error: Could not connect to server error for HTTP GET to a file',
  'FATAL Error: Failed: database has been invalidated because of a previous fatal error.',
  'Invalid Input Error: Attempting to fetch from an unsuccessful query result\nError: TransactionContext Error: Current transaction is aborted (please ROLLBACK)',
  'IO Error: Failed to query most recent snapshot for DuckLake: no connection',
  'Invalid Error: Failed to probe DuckLake metadata: Failed to execute query "BEGIN"',
  'Catalog Error: Failed to get data file list from DuckLake: no connection',
])('a lake that does not answer is 503 in reading and writing: %s', async (message) => {
  const { client, url, body } = await newRows();
  vi.spyOn(workspace.deps.lake.engine, 'use').mockRejectedValue(new Error(message));
  for (const method of ['GET', 'POST', 'PUT'] as const) {
    const answer = await client.call(method, url, method === 'GET' ? {} : { body });
    expect([answer.status, answer.body.code]).toEqual([503, 'storage_unavailable']);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(answer.text).not.toContain('Error:');
  }
});

test.each(['Binder Error: no such column', "Conversion Error: Could not convert string 'IO Error' to INT32"])(
  'a statement of ours that the engine refuses is 500, not something to try again: %s',
  async (message) => {
    const { client, url } = await newRows();
    vi.spyOn(workspace.deps.lake.engine, 'use').mockRejectedValue(new Error(message));
    const answer = await client.call('GET', url);
    expect([answer.status, answer.body.code]).toEqual([500, 'internal_error']);
  },
);
