import { beforeAll, expect, test } from 'vitest';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
let client: TestClient;
beforeAll(async () => {
  client = await workspace.organization();
});

async function answer(sql: string, more: object = {}) {
  const { status, body, text } = await client.call('POST', '/v1/query-executions', {
    body: { sql, ...more },
  });
  expect(status, text).toBe(200);
  return body.data;
}

test('names that have one key in rows are noticed', async () => {
  const sql = 'SELECT 1 AS user_id, 2 AS "userId", 3 AS a, 4 AS a, 5 AS other';
  const { rows, columns, notices, ...rest } = await answer(sql);
  expect(rows).toEqual([{ userId: 2, a: 4, other: 5 }]);
  expect(columns).toHaveLength(5);
  expect(notices).toEqual([
    { code: 'columns_collapsed', message: expect.any(String), names: ['user_id', 'userId'] },
    { code: 'columns_collapsed', message: expect.any(String), names: ['a', 'a'] },
  ]);
  expect(rest.rows_with_column_order[0]).toHaveLength(5);
  expect(await answer(sql, { row_format: 'rows_with_column_order' })).not.toHaveProperty('notices');
  expect(await answer('SELECT 1 AS user_id, 2 AS a')).not.toHaveProperty('notices');
});

test('integers stay integers, also in sums and in decimals without a scale', async () => {
  const { rows } =
    await answer(`SELECT sum(i) AS total, 7::DECIMAL(38,0) AS whole, -7::DECIMAL(18,0) AS negative,
    9007199254740992::DECIMAL(38,0) AS most, 9007199254740993::DECIMAL(38,0) AS beyond, 1.50::DECIMAL(10,2) AS scaled
    FROM range(5) AS t (i)`);
  expect(rows).toEqual([
    {
      ...{ total: 10, whole: 7, negative: -7, most: 9007199254740992 },
      ...{ beyond: '9007199254740993', scaled: '1.50' },
    },
  ]);
});
