import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { useWorker } from '../support/worker.ts';
import { type Answer, type TestClient, useOrganization, useWorkspace } from '../support/workspace.ts';
import { xlsxFile } from '../support/xlsx-file.ts';

const workspace = useWorkspace();
useWorker(workspace);
const client = useOrganization(workspace);

async function until(client: TestClient, started: Answer, isPending: (status: string) => boolean) {
  expect(started.status, started.text).toBe(202);
  const location = String(started.headers['location']);
  return eventually(
    async () => (await client.call('GET', location)).body.data,
    ({ status }) => !isPending(status),
  );
}

const importEnded = (client: TestClient, started: Answer) =>
  until(client, started, (status) => ['queued', 'running'].includes(status));

const batchEnded = (client: TestClient, started: Answer) =>
  until(client, started, (status) => ['open', 'completing', 'applying'].includes(status));

const mapping = (name: string, dataType: string) => ({
  source_column_name: name,
  target_column_name: name,
  data_type: dataType,
});

async function importFile(client: TestClient, path: string, content: string | Buffer, more: object = {}) {
  const project = (await client.call('POST', '/v1/projects', { body: { name: path } })).body.data.id;
  const file = await client.call('PUT', `/v1/projects/${project}/files/content?path=${path}`, {
    body:
      typeof content === 'string' ? { content } : { content: content.toString('base64'), encoding: 'base64' },
  });
  const started = await client.call('POST', '/v1/table-imports', {
    body: {
      project_id: project,
      file_id: file.body.data.id,
      table_name: path.replace('.', '_'),
      on_bad_row: 'quarantine',
      column_mappings: [mapping('id', 'INTEGER'), mapping('note', 'STRING'), mapping('n', 'INTEGER')],
      ...more,
    },
  });
  return importEnded(client, started);
}

async function select(client: TestClient, sql: string) {
  const answer = await client.call('POST', '/v1/query-executions', { body: { sql, row_format: 'rows' } });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data.rows;
}

const replay = (client: TestClient, table: string, body: object) =>
  client.call('POST', `/v1/tables/${table}/quarantine/replays`, { body });

const retype = (client: TestClient, table: string, dataType: string) =>
  client.call('PATCH', `/v1/grid/tables/${table}/columns/n`, { body: { data_type: dataType } });

const json = [
  { id: 1, note: 'fits', n: 10 },
  { id: 2, note: 'two\nlines', n: 2.5 },
  { id: 3, note: 'x', n: 'ten' },
  { id: 4, note: 'y', n: 1.25 },
];

test.each([
  ['orders.csv', 'id;note;n\n1;fits;10\n2;"two\nlines";2.5\n3;x;ten\n4;y;1.25\n5;too;many;fields\n'],
  ['orders.ndjson', json.map((record) => JSON.stringify(record)).join('\n')],
  ['orders.json', JSON.stringify(json)],
])('records of %s that fit once a column was retyped leave the quarantine', async (path, content) => {
  const imported = await importFile(client, path, content);
  const [name] = path.split('.');
  const broken = path === 'orders.csv' ? 1 : 0;
  expect(imported).toMatchObject({ rowsImported: 1, rowsQuarantined: 3 + broken });
  const { id: importId, tableId } = imported;

  // Nothing fits yet: the batch applies nothing, and everything stays where it was.
  const idle = await batchEnded(client, await replay(client, tableId, { import_id: importId }));
  expect(idle).toMatchObject({ mode: 'append', status: 'applied', rowsInserted: 0, error: null });

  const retyped = await retype(client, tableId, 'DOUBLE');
  expect(retyped.body.data).toMatchObject({ kind: 'import', tableId });
  const started = await replay(client, tableId, { import_id: importId });
  expect(started.body.data).toMatchObject({ tableId, mode: 'append' });
  const replayed = await batchEnded(client, started);
  expect(replayed).toMatchObject({
    status: 'applied',
    rowsInserted: 2,
    quarantineTableId: imported.quarantineTableId,
  });
  const table = (await client.call('GET', `/v1/tables/${tableId}`)).body.data.name;
  expect(table).toMatch(name!);
  expect(await select(client, `SELECT id, note, n FROM "${table}" ORDER BY id`)).toEqual([
    { id: 1, note: 'fits', n: 10 },
    { id: 2, note: 'two\nlines', n: 2.5 },
    { id: 4, note: 'y', n: 1.25 },
  ]);
  const quarantine = (await client.call('GET', `/v1/tables/${imported.quarantineTableId}`)).body.data.name;
  const left = await select(client, `SELECT "column" AS c FROM "${quarantine}" ORDER BY line`);
  expect(left).toEqual([{ c: 'n' }, ...(broken === 1 ? [{ c: null }] : [])]);

  // Replayed again from the batch that left records behind: nothing is applied twice.
  const again = await batchEnded(client, await replay(client, tableId, { batch_id: replayed.id }));
  expect(again).toMatchObject({ status: 'applied', rowsInserted: 0 });
  expect((await retype(client, tableId, 'STRING')).status).toBe(200);
  const last = await batchEnded(client, await replay(client, tableId, { import_id: importId }));
  expect(last).toMatchObject({ status: 'applied', rowsInserted: 1 });
  expect(await select(client, `SELECT count(*) AS rows FROM "${table}"`)).toEqual([{ rows: 4 }]);
});

async function parquetFile(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'import-replays-'));
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(
    `COPY (FROM (VALUES (1, 'a', '10'), (2, 'b', '2.5'), (3, 'c', 'ten')) AS t(id, note, n))
     TO '${folder}/rows.parquet' (FORMAT parquet)`,
  );
  connection.closeSync();
  instance.closeSync();
  const content = await readFile(join(folder, 'rows.parquet'));
  await rm(folder, { recursive: true });
  return content;
}

function sheetFile(): Buffer {
  const rows = [
    ['id', 'note', 'n'],
    ['1', 'a', '10'],
    ['2', 'b', '2.5'],
    ['3', 'c, "quoted"', 'ten'],
  ];
  const cell = (text: string, row: number, column: number) =>
    `<c r="${'ABC'[column]}${row + 1}" t="inlineStr"><is><t>${text}</t></is></c>`;
  const xml = rows.map(
    (cells, row) =>
      `<row r="${row + 1}">${cells.map((text, column) => cell(text, row, column)).join('')}</row>`,
  );
  return xlsxFile({ rows: xml.join('') });
}

test.each([
  ['rows.parquet', parquetFile],
  ['rows.xlsx', sheetFile],
])('a binary file is read again as well: %s', async (path, content) => {
  const imported = await importFile(client, path, await content());
  expect(imported).toMatchObject({ rowsImported: 1, rowsQuarantined: 2 });
  await retype(client, imported.tableId, 'DOUBLE');
  const done = await batchEnded(client, await replay(client, imported.tableId, { import_id: imported.id }));
  expect(done).toMatchObject({ status: 'applied', rowsInserted: 1 });
  const table = path.replace('.', '_');
  expect(await select(client, `SELECT id, n FROM ${table} ORDER BY id`)).toEqual([
    { id: 1, n: 10 },
    { id: 2, n: 2.5 },
  ]);
  await retype(client, imported.tableId, 'STRING');
  const last = await batchEnded(client, await replay(client, imported.tableId, { import_id: imported.id }));
  expect(last).toMatchObject({ status: 'applied', rowsInserted: 1 });
});

test('a replay needs one source of this table, with records in quarantine, of its last import', async () => {
  const content = 'id,note,n\n1,a,ten\n2,b,2\n';
  const imported = await importFile(client, 'first.csv', content);
  const other = await importFile(client, 'other.csv', 'id,note,n\n1,a,1\n');
  for (const body of [{}, { batch_id: 'bat_x', import_id: 'imp_x' }])
    expect((await replay(client, imported.tableId, body)).status).toBe(422);
  for (const [table, id] of [
    [other.tableId, imported.id],
    [other.tableId, other.id],
    [imported.tableId, 'imp_01m7zb7m1dfp9c6s8m3h9q2w4x'],
  ])
    expect((await replay(client, table, { import_id: id })).status).toBe(404);
  const stranger = await workspace.organization();
  expect((await replay(stranger, imported.tableId, { import_id: imported.id })).status).toBe(404);
  const renamed = await client.call('PATCH', `/v1/grid/tables/${imported.tableId}/columns/n`, {
    body: { name: 'm' },
  });
  expect(renamed.status).toBe(409);

  const anew = await importFile(client, 'second.csv', content, {
    table_name: undefined,
    table_id: imported.tableId,
    mode: 'replace',
  });
  expect(anew.status).toBe('succeeded');
  const late = await replay(client, imported.tableId, { import_id: imported.id });
  expect([late.status, late.body.code]).toEqual([409, 'conflict']);
  await retype(client, imported.tableId, 'STRING');
  const done = await batchEnded(client, await replay(client, imported.tableId, { import_id: anew.id }));
  expect(done).toMatchObject({ status: 'applied', rowsInserted: 1 });
});
