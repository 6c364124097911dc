import { expect, test } from 'vitest';
import { useOrganization, useOwnWorkspace } from '../../support/workspace.ts';

/** Answers of at most 1 MiB. */
const workspace = useOwnWorkspace({}, () => ({ QUERY_ANSWER_MIB: '1' }));
const client = useOrganization(workspace);

test('a page holds no more than one answer may', async () => {
  const body = { name: 'large', kind: 'data', columns: [{ name: 'v', data_type: 'STRING' }] };
  const made = await client.call('POST', '/v1/grid/tables', { body });
  const url = `/v1/tables/${made.body.data.tableId}/rows`;
  const rows = [0, 1, 2, 3].map((id) => ({ s_id: id, v: 'v'.repeat(300_000) }));
  const sent = await client.call('POST', url, { body: { rows } });
  expect(sent.status, sent.text.slice(0, 500)).toBe(200);
  const refused = await client.call('GET', `${url}?limit=5000`);
  expect([refused.status, refused.body.code]).toEqual([400, 'query_too_large']);
  expect((await client.call('GET', `${url}?limit=2`)).body.items).toHaveLength(2);
});
