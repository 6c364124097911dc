import { expect, test } from 'vitest';
import { useWorkspace } from '../support/workspace.ts';

const workspace = useWorkspace();

test('rows with two and a half million keys are told their first faults, and the next request is served', async () => {
  const client = await workspace.organization();
  const made = await client.call('POST', '/v1/grid/tables', {
    body: { name: 'wide', kind: 'data', columns: [{ name: 'a' }] },
  });
  const members = Array.from({ length: 500 }, (_, index) => `"k${index}":1`).join(',');
  const text = `{"rows":[${Array(5_000).fill(`{"s_id":1,${members}}`).join(',')}]}`;
  const answer = await client.call('POST', `/v1/tables/${made.body.data.tableId}/rows`, {
    raw: { text, contentType: 'application/json' },
  });
  expect([answer.status, answer.body.detail.length]).toEqual([422, 20]);
  expect((await client.call('GET', '/v1/me')).status).toBe(200);
});
