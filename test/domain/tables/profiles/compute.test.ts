import { beforeAll, expect, test, vi } from 'vitest';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';
import { columnsOf, computed, countsOf, sum, tableOf } from './lab.ts';

const workspace = useWorkspace();

let client: TestClient;
beforeAll(async () => {
  client = await workspace.organization();
});

const profileOf = (select: string) => columnsOf(workspace, client, select);

test('integers: bins of whole numbers, the exact count of frequent values, a mean', async () => {
  const { n, few } = await profileOf(
    'SELECT i AS n, CASE WHEN i % 4 = 0 THEN NULL ELSE i % 3 END AS few FROM range(1, 101) r(i)',
  );
  expect(n).toMatchObject({ dataType: 'INTEGER', nulls: 0, min: 1, max: 100, mean: 50.5 });
  expect(n!.histogram).toHaveLength(20);
  expect(n!.histogram[0]).toEqual({ from: 1, to: 6, count: 5 });
  expect(n!.histogram.at(-1)).toEqual({ from: 96, to: 100, count: 5 });
  expect(countsOf(n!)).toEqual(Array.from({ length: 20 }, () => 5));
  expect(n!.top).toHaveLength(10);
  expect(few).toMatchObject({ nulls: 25, distinctApprox: 3, min: 0, max: 2, mean: 1 });
  expect(few!.top.toSorted((a, b) => Number(a.value) - Number(b.value))).toEqual(
    [0, 1, 2].map((value) => ({ value, count: 25 })),
  );
  expect(few!.histogram).toEqual([
    { from: 0, to: 1, count: 25 },
    { from: 1, to: 2, count: 25 },
    { from: 2, to: 2, count: 25 },
  ]);
});

test('integers beyond 2^53 and decimals are strings, and no bin is lost to rounding', async () => {
  const { big, all, price, wide } = await profileOf(`
    SELECT 9007199254740993 + i AS big,
      CASE i WHEN 0 THEN -9223372036854775808 WHEN 1 THEN 9223372036854775807 ELSE 0 END AS all,
      (i::DECIMAL(12,2) - 1.5)::DECIMAL(12,2) AS price,
      CASE i WHEN 0 THEN -99999999999999999999999999999999999999 ELSE 99999999999999999999999999999999999999
        END::DECIMAL(38,0) AS wide
    FROM range(4) r(i)`);
  expect(big).toMatchObject({ min: '9007199254740993', max: '9007199254740996' });
  expect(countsOf(big!)).toEqual([1, 1, 1, 1]);
  expect(big!.histogram[1]).toEqual({ from: '9007199254740994', to: '9007199254740995', count: 1 });
  expect(all).toMatchObject({ min: '-9223372036854775808', max: '9223372036854775807' });
  expect([sum(countsOf(all!)), all!.histogram.length]).toEqual([4, 20]);
  expect(price).toMatchObject({ dataType: 'DECIMAL(12,2)', min: '-1.50', max: '1.50', mean: 0 });
  expect(price!.histogram[0]).toEqual({ from: '-1.50', to: '-1.35', count: 1 });
  expect(sum(countsOf(price!))).toBe(4);
  expect(wide!.mean).toBeCloseTo(5e37, -36);
  expect(sum(countsOf(wide!))).toBe(4);
});

test('what is not finite is counted, and is in no bin, mean or range', async () => {
  const { d, none, huge } = await profileOf(`
    SELECT x AS d, CASE WHEN x IS NULL THEN NULL ELSE 'NaN'::DOUBLE END AS none,
      CASE WHEN x > 0 THEN 1.7e308 ELSE -1.7e308 END AS huge
    FROM (VALUES ('NaN'::DOUBLE), ('Infinity'), ('-Infinity'), (0.5), (2.5), (NULL)) v(x)`);
  expect(d).toMatchObject({ nulls: 1, min: 0.5, max: 2.5, mean: 1.5, distinctApprox: 5 });
  expect(d!.top.map(({ value }) => value).toSorted()).toEqual(['-Infinity', 0.5, 2.5, 'Infinity', 'NaN']);
  expect([sum(countsOf(d!)), d!.histogram.length]).toEqual([2, 20]);
  expect(d!.histogram.at(-1)).toMatchObject({ to: 2.5, count: 1 });
  expect(none).toMatchObject({ nulls: 1, min: null, max: null, mean: null, histogram: [] });
  expect(none!.top).toEqual([{ value: 'NaN', count: 5 }]);
  expect(sum(countsOf(huge!))).toBe(6);
  expect(Number.isFinite(huge!.mean)).toBe(true);
});

test('dates and times lie on a line too, infinite ones aside', async () => {
  const { day, at, instant, open, clock } = await profileOf(`
    SELECT DATE '2026-01-01' + i::INTEGER AS day,
      TIMESTAMP '2026-01-01 00:00:00' + to_hours(i) AS at,
      TIMESTAMPTZ '2026-01-01 00:00:00+00' + to_hours(i) AS instant,
      CASE WHEN i = 0 THEN DATE 'infinity' ELSE DATE '2026-05-01' END AS open,
      TIME '10:00:00' AS clock
    FROM range(3) r(i)`);
  expect(day).toMatchObject({ dataType: 'DATE', min: '2026-01-01', max: '2026-01-03', mean: null });
  expect(day!.histogram[0]).toEqual({ from: '2026-01-01', to: '2026-01-02', count: 1 });
  expect(at).toMatchObject({ min: '2026-01-01T00:00:00.000000', max: '2026-01-01T02:00:00.000000' });
  expect(at!.histogram[10]).toMatchObject({ from: '2026-01-01T01:00:00.000000', count: 1 });
  expect(instant).toMatchObject({ min: '2026-01-01T00:00:00.000Z', max: '2026-01-01T02:00:00.000Z' });
  expect(instant!.histogram.at(-1)).toMatchObject({ to: '2026-01-01T02:00:00.000Z', count: 1 });
  expect(open).toMatchObject({ min: '2026-05-01', max: '2026-05-01' });
  expect(open!.histogram).toEqual([{ from: '2026-05-01', to: '2026-05-01', count: 2 }]);
  expect(clock).toMatchObject({ min: '10:00:00.000000', histogram: [], distinctApprox: 1 });
});

test('texts are cut at 200 characters; JSON and nested values are texts without an order', async () => {
  const { text, json, list, blob, flag } = await profileOf(`
    SELECT CASE WHEN i < 3 THEN repeat('é', 300) || i ELSE 'it''s "' || chr(0) END AS text,
      '{"a": [1, null]}'::JSON AS json, [i % 2] AS list, repeat('x', 1000)::BLOB AS blob, i < 3 AS flag
    FROM range(4) r(i)`);
  expect(text!.top).toEqual([
    { value: 'é'.repeat(200), count: 3 },
    { value: 'it\'s "\u0000', count: 1 },
  ]);
  expect(text).toMatchObject({ min: 'it\'s "\u0000', max: 'é'.repeat(200), mean: null, histogram: [] });
  expect(text!.distinctApprox).toBeGreaterThan(2);
  expect(json).toMatchObject({ dataType: 'JSON', min: null, max: null, distinctApprox: 1 });
  expect(json!.top).toEqual([{ value: '{"a": [1, null]}', count: 4 }]);
  expect(list).toMatchObject({ min: null, distinctApprox: 2 });
  expect(list!.top).toEqual([
    { value: '[0]', count: 2 },
    { value: '[1]', count: 2 },
  ]);
  expect((blob!.max as string).length).toBe(200);
  expect(flag).toMatchObject({
    min: false,
    max: true,
    top: [
      { value: true, count: 3 },
      { value: false, count: 1 },
    ],
  });
});

test('every other type that a lake may hold', async () => {
  const columns = await profileOf(`
    SELECT i::UBIGINT + 18446744073709551000 AS u, i::FLOAT / 3 AS f, uuid() AS id, to_days(i::INTEGER) AS iv,
      i::TINYINT AS tiny, {'a': i, 'b': 'x'} AS s, MAP {'k': i} AS m, TIMETZ '10:00:00+02' AS tz,
      (TIMESTAMP '2026-01-01' + to_seconds(i))::TIMESTAMP_S AS ts,
      (TIMESTAMP '2026-01-01' + to_seconds(i))::TIMESTAMP_MS AS tms,
      (TIMESTAMP_NS '2026-01-01 00:00:00.123456789') AS tns, NULL::VARCHAR AS none, NULL::BIGINT AS zero
    FROM range(4) r(i)`);
  expect(columns['u']).toMatchObject({ min: '18446744073709551000', max: '18446744073709551003' });
  expect(columns['f']!.histogram).toHaveLength(20);
  expect(columns['ts']!.histogram).toHaveLength(20);
  expect(columns['tns']).toMatchObject({ min: '2026-01-01T00:00:00.123456789', distinctApprox: 1 });
  expect(columns['s']!.top[0]!.value).toContain("'b': x");
  for (const name of ['none', 'zero'])
    expect(columns[name]).toMatchObject({ nulls: 4, distinctApprox: 0, min: null, top: [], histogram: [] });
  for (const { count, value } of Object.values(columns).flatMap(({ top }) => top))
    expect([count > 0, ['string', 'number', 'boolean'].includes(typeof value)]).toEqual([true, true]);
});

test('columns by any name, and three hundred of them', async () => {
  const names = ['shown_0', 'a"b', 'row_count', 'COUNT', 'SELECT', 'rowid', 't', '日本'];
  const quoted = names.map((name, index) => `${index} AS "${name.replaceAll('"', '""')}"`);
  const more = Array.from({ length: 292 }, (_, index) => `${index} AS c${index}`);
  const { id } = await tableOf(workspace, client, `SELECT ${[...quoted, ...more].join(', ')}`);
  const seen: number[] = [];
  const progress = ({ columnsDone }: { columnsDone: number }) => seen.push(columnsDone);
  const { columns } = await computed(workspace, client, id, { progress });
  expect(columns.slice(0, 8).map(({ name, min }) => [name, min])).toEqual(names.map((name, n) => [name, n]));
  expect(columns).toHaveLength(300);
  expect(seen).toEqual(Array.from({ length: 30 }, (_, group) => group * 10));
});

test('an empty table has columns without values', async () => {
  const { id } = await tableOf(workspace, client, "SELECT 1 AS n, 'x' AS s, 1.5::DOUBLE AS d WHERE false");
  const { rowCount, sampled, columns } = await computed(workspace, client, id);
  expect([rowCount, sampled]).toEqual([0, false]);
  for (const column of columns)
    expect(column).toMatchObject({
      nulls: 0,
      distinctApprox: 0,
      min: null,
      mean: null,
      top: [],
      histogram: [],
    });
});

test('of a large table a sample is read, and its counts stand for the whole', async () => {
  const select = 'SELECT i, CASE WHEN i % 2 = 0 THEN i % 5 END AS half FROM range(400000) r(i)';
  const { id } = await tableOf(workspace, client, select);
  const all = await computed(workspace, client, id, { sampleRows: 400_000 });
  expect(all.sampled).toBe(false);
  expect(all.columns[1]).toMatchObject({ nulls: 200_000, distinctApprox: 5 });
  const { rowCount, sampled, columns } = await computed(workspace, client, id, { sampleRows: 200_000 });
  expect([rowCount, sampled]).toEqual([400_000, true]);
  // The sample is of whole vectors, so its size varies, while its shares hardly do.
  expect(Math.abs(columns[1]!.nulls - 200_000)).toBeLessThan(2_000);
  expect(columns[1]!.top).toHaveLength(5);
  expect(Math.abs(columns[1]!.top[0]!.count - 40_000)).toBeLessThan(20_000);
});

test('all columns are of one version, which is held while rows are added', async () => {
  const columns = Array.from({ length: 15 }, (_, index) => ({ name: `c${index}`, data_type: 'INTEGER' }));
  const made = await client.call('POST', '/v1/grid/tables', {
    body: { name: 'grows', kind: 'data', columns },
  });
  const { tableId } = made.body.data;
  const append = async (s_id: number) => {
    const answer = await client.call('POST', `/v1/tables/${tableId}/rows`, {
      body: { rows: [{ s_id, c14: 1 }] },
    });
    return answer.body.data.tableVersion as number;
  };
  const version = await append(1);
  const { staging, lake } = workspace.deps;
  const real = staging.use;
  const pinned: string[] = [];
  const use = vi.spyOn(staging, 'use').mockImplementation(async (...given) => {
    await append(1 + use.mock.calls.length);
    const pins = 'SELECT holder FROM lake_pins WHERE organization_id = $1';
    const { rows } = await lake.catalogPool.query(pins, [client.organizationId]);
    pinned.push(rows.some(({ holder }) => holder.startsWith('profile/run_')) ? 'held' : 'free');
    return real(...given);
  });
  const profile = await computed(workspace, client, tableId).finally(() => use.mockRestore());
  expect([profile.version, profile.rowCount]).toEqual([version, 1]);
  expect(profile.columns.map(({ nulls }) => nulls)).toEqual([
    0,
    ...Array.from({ length: 14 }, () => 1),
    0,
    0,
  ]);
  expect(pinned).toEqual(['held', 'held']);
});

test('what needs more memory than an engine has is told with its columns, and an interrupt ends it', async () => {
  const { id } = await tableOf(workspace, client, 'SELECT 1 AS n');
  const use = vi.spyOn(workspace.deps.staging, 'use');
  use.mockRejectedValueOnce(new Error('Out of Memory Error: could not allocate'));
  await expect(computed(workspace, client, id)).rejects.toMatchObject({
    code: 'query_too_large',
    message: expect.stringContaining('"n"'),
  });
  use.mockRestore();
  const signal = AbortSignal.abort(new Error('cancelled'));
  await expect(computed(workspace, client, id, { signal })).rejects.toThrow('cancelled');
});
