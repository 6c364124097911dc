import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { exporting } from '../../../support/exports.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);
let client: TestClient;
let on: ReturnType<typeof exporting>;
let orders: string;

beforeAll(async () => {
  client = await workspace.organization();
  on = exporting(client);
  orders = await on.data('orders', { city: 'STRING', amount: 'DECIMAL(18,2)', day: 'DATE', paid: 'BOOLEAN' });
  await on.append(orders, [
    { s_id: 1, city: 'Porto', amount: '12345678901234.50', day: '2026-01-02', paid: true },
    { s_id: 2, city: '', amount: null, day: null, paid: null },
    { s_id: 3, city: 'a,"b"\r\nc', amount: '-0.05', day: '1969-12-31', paid: false },
  ]);
});

test('CSV by RFC 4180: nulls are nothing, empty text is quoted, and the hash is that of the bytes', async () => {
  const done = await on.exported({
    sql: 'SELECT city, amount, day, paid FROM orders ORDER BY s_id',
    format: 'csv',
    name: 'my orders – ü',
  });
  expect(done).toMatchObject({
    ...{ status: 'succeeded', rowsWritten: 3, error: null, projectId: null, fileId: null },
    versions: [{ tableId: orders, version: expect.any(Number) }],
  });
  const [file] = done.files;
  const { bytes, disposition, type } = await on.download(file);
  expect(bytes.toString()).toBe(
    'city,amount,day,paid\r\nPorto,12345678901234.50,2026-01-02,true\r\n"",,,\r\n"a,""b""\r\nc",-0.05,1969-12-31,false\r\n',
  );
  expect(disposition).toContain(encodeURIComponent('my orders – ü.csv'));
  expect(type).toBe('text/csv');
  expect(file).toMatchObject({
    ...{ name: 'my orders – ü.csv', sizeBytes: bytes.length },
    sha256: createHash('sha256').update(bytes).digest('hex'),
  });
  expect(done.bytesWritten).toBe(bytes.length);
  expect(Date.parse(done.expiresAt) - Date.parse(done.finishedAt)).toBe(86_400_000);
});

test('Parquet has the types of the table, and Excel opens the workbook', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'exports-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const format of ['parquet', 'xlsx']) {
    const done = await on.exported({ table_id: orders, format });
    expect(done.files[0].name).toBe(`orders.${format}`);
    await writeFile(join(folder, `orders.${format}`), (await on.download(done.files[0])).bytes);
  }
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const described = await connection.runAndReadAll(
    `SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM '${join(folder, 'orders.parquet')}')`,
  );
  expect(described.getRows()).toEqual(
    expect.arrayContaining([
      ['city', 'VARCHAR'],
      ['amount', 'DECIMAL(18,2)'],
      ['day', 'DATE'],
      ['paid', 'BOOLEAN'],
    ]),
  );
  const rows = await connection.runAndReadAll(
    `SELECT city, amount::VARCHAR FROM '${join(folder, 'orders.parquet')}' ORDER BY s_id`,
  );
  expect(rows.getRows()).toEqual([
    ['Porto', '12345678901234.50'],
    ['', null],
    ['a,"b"\r\nc', '-0.05'],
  ]);
});

test('what was exported can be imported unchanged', async () => {
  const project = await on.project();
  const done = await on.exported({
    ...{ sql: 'SELECT city, amount, day, paid FROM orders', format: 'parquet' },
    ...{ project_id: project, path: 'out/orders.parquet' },
  });
  expect(done).toMatchObject({
    status: 'succeeded',
    projectId: project,
    fileId: expect.stringMatching(/^fil_/),
  });
  const run = await on.must('GET', `/v1/projects/${project}/runs/${done.id}`, 200);
  expect(run).toMatchObject({
    ...{ kind: 'export', status: 'succeeded', progress: 1, resource: { type: 'export', id: done.id } },
    output: { exportId: done.id, fileId: done.fileId, rowsWritten: 3 },
  });
  const begun = await on.must('POST', `/v1/projects/${project}/files/${done.fileId}/imports`, 202, {
    table_name: 'orders_back',
  });
  expect((await on.importEnded(begun.id)).status).toBe('succeeded');
  const columns = 'city, CAST(amount AS VARCHAR) AS amount, day, paid';
  expect(await on.rows(`SELECT ${columns} FROM orders_back ORDER BY ALL`)).toEqual(
    await on.rows(`SELECT ${columns} FROM orders ORDER BY ALL`),
  );
});
