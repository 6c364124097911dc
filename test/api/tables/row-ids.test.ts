import { beforeEach, expect, test } from 'vitest';
import { shaping } from '../../support/calculated.ts';
import { only, replaceGrants } from '../../support/grants.ts';
import { personOf } from '../../support/people.ts';
import { type TestClient, useOrganization, useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();
const client = useOrganization(workspace);
let tableId: string;
let tables = 0;

beforeEach(async () => {
  tableId = await shaping(client).data(`numbered_${tables++}`, { n: 'INTEGER' });
});

const reserve = (
  count: unknown,
  by: Pick<TestClient, 'call'> = client,
  headers: Record<string, string> = {},
) => by.call('POST', `/v1/tables/${tableId}/row-ids/reservations`, { body: { count }, headers });
const reserved = async (count: number) => {
  const { status, body, text } = await reserve(count);
  expect(status, text).toBe(201);
  return body.data;
};

test('a range is above every row and every range before', async () => {
  const on = shaping(client);
  expect(await reserved(10)).toEqual({ first: 1, last: 10 });
  expect(await reserved(1)).toEqual({ first: 11, last: 11 });
  await on.append(tableId, [{ s_id: 500, n: 1 }]);
  expect(await reserved(1_000_000)).toEqual({ first: 501, last: 1_000_500 });
  await on.append(tableId, [{ s_id: 20, n: 1 }]);
  expect(await reserved(2)).toEqual({ first: 1_000_501, last: 1_000_502 });
  await on.append(tableId, [{ s_id: 1_000_501, n: 2 }]);
});

test('rows with negative ids leave the first range at 1', async () => {
  await shaping(client).append(tableId, [{ s_id: -7, n: 1 }]);
  expect(await reserved(1)).toEqual({ first: 1, last: 1 });
});

test('ranges that are asked for at once never meet, beside appends', async () => {
  const on = shaping(client);
  const ranges = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      if (index % 4 === 0) await on.append(tableId, [{ s_id: 10_000 + index, n: index }]);
      return reserved(5);
    }),
  );
  const ids = ranges.flatMap(({ first }) => Array.from({ length: 5 }, (_, index) => first + index));
  expect(new Set(ids).size).toBe(100);
});

test('the same key has the same range', async () => {
  const headers = { 'idempotency-key': `range-${tableId}` };
  const first = await reserve(5, client, headers);
  const again = await reserve(5, client, headers);
  expect(again.body).toEqual(first.body);
  expect(await reserved(1)).toEqual({ first: 6, last: 6 });
});

test('ids beyond 2^53 are strings, and beyond 2^63 there are none', async () => {
  const rows = (id: string) => ({
    raw: { text: `{"rows": [{"s_id": ${id}, "n": 1}]}`, contentType: 'application/json' },
  });
  await client.call('POST', `/v1/tables/${tableId}/rows`, rows('9223372036854775800'));
  expect(await reserved(7)).toEqual({ first: '9223372036854775801', last: '9223372036854775807' });
  expect((await reserve(1)).body).toMatchObject({ status: 409, code: 'conflict' });
});

test.each([
  [0, 'greater_than_equal'],
  [1_000_001, 'less_than_equal'],
  ['7', 'int_type'],
  [undefined, 'missing'],
])('a count of %j is refused', async (count, type) => {
  const { status, body } = await reserve(count);
  expect(status).toBe(422);
  expect(body.detail).toMatchObject([{ loc: ['body', 'count'], type }]);
});

test('only who may write the table gets a range, and only of a data table', async () => {
  const [reader, other] = [
    await personOf(workspace, client, 'member'),
    await personOf(workspace, client, 'member'),
  ];
  await replaceGrants(client, tableId, [...only(other, 'write'), ...only(reader, 'read')]);
  expect((await reserve(1, reader)).status).toBe(403);
  expect((await reserve(1, other)).status).toBe(201);
  const stranger = await workspace.organization();
  expect((await reserve(1, stranger)).status).toBe(404);
  tableId = await shaping(client).calc(`calc_${tables}`, 'SELECT 1 AS n');
  expect((await reserve(1)).body).toMatchObject({ status: 409, code: 'not_appendable' });
});
