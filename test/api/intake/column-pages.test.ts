import { createHash, randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import {
  Field,
  Int64,
  makeVector,
  Struct,
  Table,
  tableFromArrays,
  tableToIPC,
  Utf8,
  type Vector,
  vectorFromArray,
} from 'apache-arrow';
import { expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { useWorker } from '../../support/worker.ts';
import { type Answer, useOrganization, useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);
const client = useOrganization(workspace);

const parquetType = 'application/vnd.apache.parquet';
const arrowType = 'application/vnd.apache.arrow.stream';
const engine = await (await DuckDBInstance.create()).connect();
await engine.run("SET TimeZone = 'UTC'");

/** A Parquet file with the result of a SELECT. */
async function parquet(select: string, options = ''): Promise<Buffer> {
  const path = join(tmpdir(), `${randomUUID()}.parquet`);
  await engine.run(`COPY (${select}) TO '${path}' (FORMAT parquet${options})`);
  try {
    return await readFile(path);
  } finally {
    await rm(path);
  }
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function newTable(columns: object[], more: object = {}): Promise<string> {
  const made = await client.call('POST', '/v1/grid/tables', {
    body: { name: `t_${randomUUID().slice(0, 8)}`, kind: 'data', columns, ...more },
  });
  expect(made.status, made.text).toBe(201);
  return made.body.data.tableId;
}

async function open(table: string, body: object = { mode: 'append' }): Promise<string> {
  const opened = await client.call('POST', `/v1/tables/${table}/ingestion-batches`, { body });
  expect(opened.status, opened.text).toBe(201);
  return `/v1/tables/${table}/ingestion-batches/${opened.body.data.id}`;
}

function put(batch: string, page: number, bytes: Uint8Array, contentType = parquetType): Promise<Answer> {
  return client.call('PUT', `${batch}/pages/${page}`, { raw: { text: Buffer.from(bytes), contentType } });
}

async function staged(batch: string, page: number, bytes: Uint8Array, contentType?: string) {
  const answer = await put(batch, page, bytes, contentType);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data;
}

const putRecords = (batch: string, page: number, records: object[]) =>
  client.call('PUT', `${batch}/pages/${page}`, { body: { records } });

async function applied(batch: string, body: object): Promise<Answer['body']['data']> {
  const answer = await client.call('POST', `${batch}/complete`, { body });
  expect(answer.status, answer.text).toBe(202);
  return eventually(
    async () => (await client.call('GET', batch)).body.data,
    ({ status }) => !['completing', 'applying'].includes(status),
  );
}

async function contentOf(table: string): Promise<unknown> {
  const rows = await client.call('GET', `/v1/tables/${table}/rows?limit=200`);
  const columns = await client.call('GET', `/v1/grid/tables/${table}`);
  return {
    rows: rows.body.items.map(({ _sm_created_at: _, ...row }: { _sm_created_at: string }) => row),
    columns: columns.body.data.columns.map(({ name, dataType }: Record<string, string>) => [name, dataType]),
  };
}

const everyColumn = [
  ['b', 'BOOLEAN'],
  ['i', 'INTEGER'],
  ['d', 'DOUBLE'],
  ['m', 'DECIMAL(20,3)'],
  ['t', 'STRING'],
  ['day', 'DATE'],
  ['at_time', 'TIME'],
  ['moment', 'TIMESTAMP'],
  ['instant', 'TIMESTAMPTZ'],
  ['doc', 'JSON'],
].map(([name, data_type]) => ({ name, data_type }));

const everyRecord = [
  {
    ...{
      s_id: 1,
      b: true,
      i: -(2 ** 53),
      d: 0.1,
      m: '-12345678901234567.125',
      t: 'é𝄞 "x"',
      day: '0001-01-01',
    },
    ...{ at_time: '23:59:59.999999', moment: '2026-11-21T08:30:00.000001', instant: '9999-12-31T23:59:59Z' },
    doc: { a: [1, 'x,]', { b: null }], c: 'é' },
  },
  { s_id: 2, b: false, i: 7, d: 'Infinity', m: 1, t: '', doc: [1.5, true] },
  { s_id: 9_007_199_254_740_991 },
];
const everySelect = `
  SELECT * FROM (VALUES
    (1::BIGINT, true, -9007199254740992, 0.1::DOUBLE, -12345678901234567.125::DECIMAL(20,3), 'é𝄞 "x"', DATE '0001-01-01',
     TIME '23:59:59.999999', TIMESTAMP '2026-11-21 08:30:00.000001', TIMESTAMPTZ '9999-12-31 23:59:59+00',
     '{"a":[1,"x,]",{"b":null}],"c":"é"}'),
    (2, false, 7, 'Infinity'::DOUBLE, 1.000, '', NULL, NULL, NULL, NULL, '[1.5,true]'),
    (9007199254740991, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL))
  AS v(s_id, b, i, d, m, t, day, at_time, moment, instant, doc)`;

/** The same columns as Arrow, as the service itself streams them. */
async function arrowOf(records: Buffer): Promise<Uint8Array> {
  const table = await newTable(everyColumn);
  const batch = await open(table);
  await staged(batch, 1, records);
  await applied(batch, { page_count: 1 });
  const { body } = await client.call('GET', `/v1/grid/tables/${table}`);
  const names = ['s_id', ...everyColumn.map(({ name }) => name)].join(', ');
  const token = await client.token();
  const origin = await workspace.listen();
  const response = await fetch(`${origin}/v1/query-executions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, accept: arrowType, 'content-type': 'application/json' },
    body: JSON.stringify({ sql: `SELECT ${names} FROM ${body.data.name} ORDER BY s_id` }),
  });
  expect(response.status).toBe(200);
  return new Uint8Array(await response.arrayBuffer());
}

test('the same content in JSON, Parquet and Arrow gives the same table, of every type', async () => {
  const file = await parquet(everySelect);
  const contents: unknown[] = [];
  for (const [bytes, type] of [
    [undefined, ''],
    [file, parquetType],
    [await arrowOf(file), arrowType],
  ] as const) {
    const table = await newTable(everyColumn);
    const batch = await open(table);
    if (bytes === undefined) expect((await putRecords(batch, 1, everyRecord)).status).toBe(200);
    else await staged(batch, 1, bytes, type);
    expect(await applied(batch, { page_count: 1 })).toMatchObject({ status: 'applied', rowsInserted: 3 });
    contents.push(await contentOf(table));
  }
  expect(contents[1]).toEqual(contents[0]);
  expect(contents[2]).toEqual(contents[0]);
});

test('a page of the same bytes is a replay, and any other content is refused', async () => {
  const table = await newTable([{ name: 'n', data_type: 'INTEGER' }]);
  const batch = await open(table);
  const file = await parquet('SELECT 1 AS s_id, 5 AS n');
  const first = await staged(batch, 1, file);
  expect(first).toMatchObject({ sha256: sha256(file), sizeBytes: String(file.length), replayed: false });
  expect(await staged(batch, 1, file)).toEqual({ ...first, replayed: true });
  const packed = await client.call('PUT', `${batch}/pages/1`, {
    raw: { text: gzipSync(file), contentType: parquetType },
    headers: { 'content-encoding': 'gzip' },
  });
  expect(packed.body.data).toEqual({ ...first, replayed: true });
  const others = [
    await put(batch, 1, await parquet('SELECT 1 AS s_id, 6 AS n')),
    await putRecords(batch, 1, [{ s_id: 1, n: 5 }]),
    await put(batch, 1, tableToIPC(tableFromArrays({ s_id: [1], n: [5] }), 'stream'), arrowType),
  ];
  for (const { status, body } of others)
    expect([status, body.code, body.staged_sha256]).toEqual([409, 'page_content_mismatch', first.sha256]);
  const json = await putRecords(batch, 2, [{ s_id: 2, n: 6 }]);
  const wrong = await client.call('POST', `${batch}/complete`, {
    body: {
      page_count: 2,
      pages: [1, 2].map((page_number) => ({ page_number, sha256: sha256(Buffer.of(1)) })),
    },
  });
  expect(wrong.body).toMatchObject({ code: 'manifest_incomplete', different: [1, 2] });
  const pages = [
    { page_number: 1, sha256: sha256(file) },
    { page_number: 2, sha256: json.body.data.sha256 },
  ];
  expect(await applied(batch, { page_count: 2, pages })).toMatchObject({
    status: 'applied',
    rowsInserted: 2,
  });
  expect(await contentOf(table)).toMatchObject({
    rows: [
      { s_id: 1, n: 5 },
      { s_id: 2, n: 6 },
    ],
  });
});

test('types of Parquet become those of the table if every value is kept', async () => {
  const columns = [
    { name: 'i', data_type: 'INTEGER' },
    { name: 'd', data_type: 'DOUBLE' },
    { name: 'm', data_type: 'DECIMAL(10,2)' },
    { name: 'moment', data_type: 'TIMESTAMP' },
    { name: 'instant', data_type: 'TIMESTAMPTZ' },
  ];
  const table = await newTable(columns);
  const batch = await open(table);
  await staged(
    batch,
    1,
    await parquet(
      "SELECT 1::UTINYINT AS s_id, 5.0::DOUBLE AS i, 3::SMALLINT AS d, 12.34::DOUBLE AS m, DATE '2026-01-31' AS moment, TIMESTAMP_MS '2026-01-31 08:00:00.5' AS instant",
    ),
  );
  await staged(
    batch,
    2,
    await parquet(
      "SELECT 2::DECIMAL(5,0) AS s_id, 7.00::DECIMAL(9,2) AS i, 1.5::FLOAT AS d, 12::UBIGINT AS m, TIMESTAMPTZ '2026-01-31 10:00:00+02' AS moment, TIMESTAMP_NS '2026-01-31 08:00:00.000001' AS instant",
    ),
  );
  expect(await applied(batch, { page_count: 2 })).toMatchObject({ status: 'applied' });
  expect(await contentOf(table)).toMatchObject({
    rows: [
      {
        s_id: 1,
        i: 5,
        d: 3,
        m: '12.34',
        moment: '2026-01-31T00:00:00.000000',
        instant: '2026-01-31T08:00:00.500Z',
      },
      {
        s_id: 2,
        i: 7,
        d: 1.5,
        m: '12.00',
        moment: '2026-01-31T08:00:00.000000',
        instant: '2026-01-31T08:00:00.000001Z',
      },
    ],
  });
});

test('a page is refused with the record and the column of each fault', async () => {
  const table = await newTable([
    { name: 'n', data_type: 'INTEGER' },
    { name: 'm', data_type: 'DECIMAL(4,2)' },
    { name: 't', data_type: 'STRING' },
    { name: 'day', data_type: 'DATE' },
    { name: 'doc', data_type: 'JSON' },
    { name: 'must', data_type: 'STRING', nullable: false },
  ]);
  const batch = await open(table);
  const faults = async (select: string): Promise<[unknown[], string][]> => {
    const answer = await put(batch, 1, await parquet(select));
    expect(answer.status, answer.text).toBe(422);
    return answer.body.detail.map(({ loc, type }: { loc: unknown[]; type: string }) => [loc.slice(1), type]);
  };
  const good = "range AS s_id, 'x' AS must";
  const at = (row: number, column: string, type = 'value_error') => [['records', row, column], type];
  expect(await faults(`SELECT ${good}, CASE range WHEN 2 THEN 1.5 ELSE 1 END AS n FROM range(4)`)).toEqual([
    at(2, 'n'),
  ]);
  expect(await faults(`SELECT ${good}, 'abc' AS n FROM range(2)`)).toEqual([at(0, 'n'), at(1, 'n')]);
  expect(await faults(`SELECT ${good}, 99.99 + range AS m FROM range(2)`)).toEqual([at(1, 'm')]);
  expect(await faults(`SELECT ${good}, 'a' || chr(range::INTEGER) AS t FROM range(2)`)).toEqual([at(0, 't')]);
  expect(
    await faults(
      `SELECT ${good}, CASE range WHEN 1 THEN 'infinity'::DATE ELSE DATE '9999-12-31' + range::INTEGER // 2 END AS day FROM range(3)`,
    ),
  ).toEqual([at(1, 'day'), at(2, 'day')]);
  const documents = [
    '{}',
    '[1,]',
    '{"a":NaN}',
    '"\\u0000"',
    '"\\\\u0000"',
    'Infinity',
    '{',
    '"a,]"',
    `${'['.repeat(1_000)}${']'.repeat(1_000)}`,
    `${'['.repeat(1_001)}${']'.repeat(1_001)}`,
    `[${'[],'.repeat(1_500)}1]`,
  ];
  const list = documents.map((text) => `'${text}'`).join(', ');
  expect(
    await faults(`SELECT ${good}, ([${list}])[range + 1] AS doc FROM range(${documents.length})`),
  ).toEqual([1, 2, 3, 5, 6, 9].map((row) => at(row, 'doc')));
  expect(await faults('SELECT range AS s_id FROM range(2)')).toEqual([
    at(0, 'must', 'missing'),
    at(1, 'must', 'missing'),
  ]);
  expect(await faults("SELECT range AS s_id, NULLIF('x', 'x') AS must FROM range(1)")).toEqual([
    at(0, 'must'),
  ]);
  expect(await faults("SELECT 'x' AS must")).toEqual([at(0, 's_id', 'missing')]);
  expect(await faults("SELECT NULL::BIGINT AS s_id, 'x' AS must")).toEqual([at(0, 's_id', 'int_type')]);
  expect(await faults("SELECT '1' AS s_id, 'x' AS must")).toEqual([at(0, 's_id')]);
  expect(await faults("SELECT 2::DOUBLE ** 63 AS s_id, 'x' AS must")).toEqual([at(0, 's_id')]);
  expect(await faults(`SELECT ${good}, 1 AS other, now() AS _sm_created_at FROM range(1)`)).toEqual([
    at(0, 'other', 'extra_forbidden'),
    at(0, '_sm_created_at', 'extra_forbidden'),
  ]);
  expect(
    await faults(`SELECT ${good}, TIMESTAMP_NS '2026-01-01 00:00:00.000000001' AS n FROM range(1)`),
  ).toEqual([at(0, 'n')]);
  expect((await faults(`SELECT ${good}, 'a' AS n FROM range(100)`)).length).toBe(20);
  const repeated = await put(batch, 1, await parquet(`SELECT range // 2 AS s_id, 'x' AS must FROM range(5)`));
  expect(repeated.body).toMatchObject({ code: 'duplicate_row_id', row_ids: [0, 1] });
  for (const nested of ['[1]', "{'a': 1}", 'MAP {1: 2}', '[{a: 1}]'])
    expect(await faults(`SELECT ${good}, ${nested} AS doc FROM range(1)`)).toEqual([
      [['columns', 'doc'], 'value_error'],
    ]);
  expect(await faults(`SELECT ${good}, 1 AS file_row_number FROM range(1)`)).toEqual([
    [['columns', 'file_row_number'], 'value_error'],
  ]);
});

test('what does not fit is set aside as it was sent, and replayed once it fits', async () => {
  const table = await newTable([
    { name: 'n', data_type: 'INTEGER' },
    { name: 'moment', data_type: 'TIMESTAMP' },
  ]);
  const batch = await open(table, { mode: 'append', on_bad_record: 'quarantine' });
  const rows =
    "(1, 1.0, TIMESTAMP '2026-01-01 00:00:00'), (2, 2.5, NULL), (NULL, 3, NULL), (1, 4, NULL), (5, 5, NULL)";
  await staged(batch, 1, await parquet(`SELECT * FROM (VALUES ${rows}) AS v(s_id, n, moment)`));
  const end = await applied(batch, { page_count: 1 });
  expect(end).toMatchObject({ status: 'applied', rowsInserted: 2, recordsQuarantined: 3 });
  const aside = await client.call('GET', `/v1/tables/${end.quarantineTableId}/rows?limit=10`);
  const kept = aside.body.items
    .map(({ record_index, reason, record }: Record<string, unknown>) => [
      record_index,
      String(reason).split(':')[0],
      record,
    ])
    .toSorted(([a]: [number], [b]: [number]) => a - b);
  expect(kept.map(([index, column]: unknown[]) => [index, column])).toEqual([
    [1, 'n'],
    [2, 's_id'],
    [3, 's_id'],
  ]);
  const retyped = await client.call('PATCH', `/v1/grid/tables/${table}/columns/n`, {
    body: { data_type: 'DOUBLE' },
  });
  expect(retyped.status, retyped.text).toBe(200);
  const replay = await client.call('POST', `/v1/tables/${table}/quarantine/replays`, {
    body: { batch_id: end.id },
  });
  const replayed = await eventually(
    async () => (await client.call('GET', replay.headers['location'] as string)).body.data,
    ({ status }) => !['open', 'completing', 'applying'].includes(status),
  );
  expect(replayed).toMatchObject({ status: 'applied', rowsInserted: 1, recordsQuarantined: 2 });
  expect(await contentOf(table)).toMatchObject({
    rows: [
      { s_id: 1, n: 1 },
      { s_id: 2, n: 2.5 },
      { s_id: 5, n: 5 },
    ],
  });
});

test('new fields become columns of their types, columns without a type take one, and inferred ones widen', async () => {
  const table = await newTable([{ name: 'open' }]);
  const batch = await open(table, { mode: 'append', on_new_field: 'add' });
  await staged(
    batch,
    1,
    await parquet(
      "SELECT 1 AS s_id, 5 AS open, DATE '2026-01-01' AS day, 1.25 AS price, NULL::INTEGER AS nothing",
    ),
  );
  await staged(batch, 2, await parquet('SELECT 2 AS s_id, 2.5::DOUBLE AS open'));
  expect((await putRecords(batch, 3, [{ s_id: 3, open: 7, day: null }])).status).toBe(200);
  expect(await applied(batch, { page_count: 3 })).toMatchObject({ status: 'applied', error: null });
  expect(await contentOf(table)).toMatchObject({
    rows: [
      { s_id: 1, open: 5, day: '2026-01-01', price: '1.25' },
      { s_id: 2, open: 2.5 },
      { s_id: 3, open: 7 },
    ],
  });
  const ignoring = await open(table, { mode: 'append', on_new_field: 'ignore' });
  await staged(ignoring, 1, await parquet('SELECT 4 AS s_id, 1 AS x'));
  expect(await applied(ignoring, { page_count: 1 })).toMatchObject({ status: 'applied', rowsInserted: 1 });
});

test('an upsert writes the last record of each key, over pages of any format, and deletes', async () => {
  const table = await newTable(
    [
      { name: 'k', data_type: 'STRING' },
      { name: 'n', data_type: 'INTEGER' },
    ],
    { key_columns: ['k'] },
  );
  const first = await open(table);
  await staged(first, 1, await parquet("SELECT range AS s_id, 'k' || range AS k, 0 AS n FROM range(4)"));
  await applied(first, { page_count: 1 });
  const batch = await open(table, { mode: 'upsert' });
  await staged(
    batch,
    1,
    await parquet(
      "SELECT * FROM (VALUES (0, 'k0', 1, NULL), (1, 'k0', 2, false), (2, 'k2', NULL, true), (10, 'new', 5, NULL)) AS v(s_id, k, n, _sm_deleted)",
    ),
  );
  expect((await putRecords(batch, 2, [{ s_id: 11, k: 'k1', n: 9 }])).status).toBe(200);
  const arrow = tableToIPC(
    new Table({
      s_id: vectorFromArray([11n], new Int64()),
      k: vectorFromArray(['k3'], new Utf8()),
      n: vectorFromArray([7n], new Int64()),
    }),
    'stream',
  );
  await staged(batch, 3, arrow, arrowType);
  expect(await applied(batch, { page_count: 3 })).toMatchObject({
    status: 'applied',
    rowsInserted: 1,
    rowsUpdated: 3,
  });
  const content = (await contentOf(table)) as { rows: { k: string; n: number }[] };
  expect(content.rows.map(({ k, n }) => [k, n]).toSorted()).toEqual([
    ['k0', 2],
    ['k1', 9],
    ['k3', 7],
    ['new', 5],
  ]);
});

test('a hostile page is refused with a reason, and the service goes on', async () => {
  const table = await newTable([{ name: 't', data_type: 'STRING' }]);
  const batch = await open(table);
  const other = await open(table);
  const file = await parquet("SELECT range AS s_id, 'text ' || range AS t FROM range(5000)");
  const refused = async (bytes: Uint8Array, type?: string) => {
    const { status, body, text } = await put(batch, 1, bytes, type);
    expect(status, text).toBe(422);
    return body.detail[0] as { loc: unknown[]; msg: string };
  };
  for (const length of [0, 3, 11, 40, file.length >> 1, file.length - 1])
    await refused(file.subarray(0, length));
  for (const at of [4, 30, file.length >> 1]) {
    const changed = Buffer.from(file);
    changed.fill(0xff, at, at + 40);
    expect([200, 422]).toContain((await put(other, at, changed)).status);
  }
  const noColumns = Buffer.from(file);
  noColumns.fill(0xff, file.length - 60, file.length - 8);
  await refused(noColumns);
  // A few kilobytes that are gigabytes of texts.
  const bomb = await parquet(
    "SELECT range AS s_id, repeat('x', 5000) AS t FROM range(100000)",
    ', COMPRESSION zstd',
  );
  expect(bomb.length).toBeLessThan(2_000_000);
  expect((await refused(bomb)).msg).toContain('memory');
  expect((await refused(await parquet('SELECT range AS s_id FROM range(200001)'))).msg).toContain('200001');
  const wide = await parquet(
    `SELECT 1 AS s_id, ${Array.from({ length: 2_001 }, (_, index) => `1 AS c${index}`).join(', ')}`,
  );
  expect((await refused(wide)).msg).toContain('2002 columns');
  const stream = tableToIPC(tableFromArrays({ s_id: [1, 2], t: ['a', 'b'] }), 'stream');
  for (const length of [0, 8, stream.length >> 1, stream.length - 8])
    await refused(stream.subarray(0, length), arrowType);
  const nested = new Table({
    s_id: vectorFromArray([1n], new Int64()),
    t: vectorFromArray([{ a: 1n }], new Struct([new Field('a', new Int64())])),
  });
  expect((await refused(tableToIPC(nested, 'stream'), arrowType)).loc).toEqual(['body', 'columns', 't']);
  expect((await refused(file, arrowType)).loc).toEqual(['body']);
  await refused(stream);
  const unknown = await put(batch, 1, file, 'application/x-parquet');
  expect([unknown.status, unknown.body.code]).toEqual([400, 'unsupported_media_type']);
  const rows = await client.call('POST', `/v1/tables/${table}/rows`, {
    raw: { text: file, contentType: parquetType },
  });
  expect([rows.status, rows.body.code]).toEqual([400, 'unsupported_media_type']);
  await staged(batch, 1, file);
  expect(await applied(batch, { page_count: 1 })).toMatchObject({ status: 'applied', rowsInserted: 5_000 });
});

test('two hundred thousand records are one page', async () => {
  const table = await newTable([{ name: 'n', data_type: 'INTEGER' }]);
  const batch = await open(table);
  await staged(batch, 1, await parquet('SELECT range AS s_id, range * 2 AS n FROM range(200000)'));
  const values = BigInt64Array.from({ length: 100_000 }, (_, index) => BigInt(200_000 + index));
  const vector = (data: BigInt64Array) =>
    makeVector({ type: new Int64(), length: data.length, nullCount: 0, data } as never) as Vector<Int64>;
  const table2 = new Table({ s_id: vector(values), n: vector(values.slice()) });
  await staged(batch, 2, tableToIPC(table2, 'stream'), arrowType);
  expect(await applied(batch, { page_count: 2 })).toMatchObject({ status: 'applied', rowsInserted: 300_000 });
});
