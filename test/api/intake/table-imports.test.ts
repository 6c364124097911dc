import { expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { only, replaceGrants } from '../../support/grants.ts';
import { type Person, personOf } from '../../support/people.ts';
import { useWorker } from '../../support/worker.ts';
import { type Answer, type TestClient, useOrganization, useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);
const client = useOrganization(workspace);

async function newFile(
  client: TestClient,
  path: string,
  content: string,
): Promise<{ project: string; file: string }> {
  const project = (await client.call('POST', '/v1/projects', { body: { name: 'Imports' } })).body.data.id;
  const written = await client.call('PUT', `/v1/projects/${project}/files/content?path=${path}`, {
    body: { content },
  });
  expect(written.status, written.text).toBe(201);
  return { project, file: written.body.data.id };
}

async function ended(client: TestClient, started: Answer): Promise<Answer['body']> {
  expect(started.status, started.text).toBe(202);
  const location = String(started.headers['location']);
  return eventually(
    async () => (await client.call('GET', location)).body.data,
    ({ status }) => !['queued', 'running'].includes(status),
  );
}

async function select(client: TestClient, sql: string) {
  const answer = await client.call('POST', '/v1/query-executions', { body: { sql, row_format: 'rows' } });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data.rows;
}

const csv = 'order_no,city,amount,ordered_on\nA-1,Porto,12.50,2026-01-02\nA-2,Lagos,7,2026-01-03\n';

test('a CSV becomes a queryable table with detected types, under a readable workflow id', async () => {
  const { project, file } = await newFile(client, 'orders.csv', csv);
  const started = await client.call('POST', `/v1/projects/${project}/files/${file}/imports`, {
    body: { table_name: 'orders' },
  });
  const done = await ended(client, started);
  expect(done).toMatchObject({
    status: 'succeeded',
    rowsImported: 2,
    rowsQuarantined: 0,
    progress: 1,
    error: null,
  });
  expect(await select(client, 'SELECT city, ordered_on FROM orders ORDER BY order_no')).toEqual([
    { city: 'Porto', orderedOn: '2026-01-02' },
    { city: 'Lagos', orderedOn: '2026-01-03' },
  ]);
  const listed = await client.call('GET', `/v1/tables?project_id=${project}`);
  expect(listed.body.tables).toMatchObject([
    { name: 'orders', kind: 'import', rowCount: 2, queryable: true, appendable: false },
  ]);
  const append = await client.call('POST', `/v1/tables/${done.tableId}/rows`, {
    body: { rows: [{ s_id: 1 }] },
  });
  expect(append.body.code).toBe('not_appendable');
  const description = await workspace.temporal.workflow.getHandle(`table-import/${done.id}`).describe();
  expect(description.status.name).toBe('COMPLETED');
  expect(description.memo).toMatchObject({ callerId: client.clientId });
  expect(description.searchAttributes).toMatchObject({
    OrganizationId: [client.organizationId],
    ProcessKind: ['table-import'],
  });
});

test('a broken row fails the import by line, column and reason, and leaves no table', async () => {
  const { project, file } = await newFile(client, 'bad.csv', 'id,n\n1,10\n2,ten\n3,30\n');
  const body = {
    project_id: project,
    file_id: file,
    table_name: 'bad',
    column_mappings: [
      { source_column_name: 'id', target_column_name: 'id', data_type: 'INTEGER' },
      { source_column_name: 'n', target_column_name: 'n', data_type: 'INTEGER' },
    ],
  };
  const done = await ended(client, await client.call('POST', '/v1/table-imports', { body }));
  expect(done).toMatchObject({ status: 'failed', error: { line: 3, column: 'n', raw: '2,ten' } });
  expect((await client.call('GET', `/v1/tables/${done.tableId}`)).status).toBe(404);
  // The name is free again, and quarantining keeps the good rows and shows the bad one.
  const again = await ended(
    client,
    await client.call('POST', '/v1/table-imports', { body: { ...body, on_bad_row: 'quarantine' } }),
  );
  expect(again).toMatchObject({ status: 'succeeded', rowsImported: 2, rowsQuarantined: 1 });
  expect(await select(client, 'SELECT id, n FROM bad ORDER BY id')).toEqual([
    { id: 1, n: 10 },
    { id: 3, n: 30 },
  ]);
  const quarantine = (await client.call('GET', `/v1/tables/${again.quarantineTableId}`)).body.data;
  expect(await select(client, `SELECT line, "column", raw FROM "${quarantine.name}"`)).toEqual([
    { line: 3, column: 'n', raw: '2,ten' },
  ]);
});

test('what was put aside has the grants of its table, from the start and when they change', async () => {
  const reader = await personOf(workspace, client, 'member');
  const outsider = await personOf(workspace, client, 'member');
  const { project, file } = await newFile(client, 'salaries.csv', 'id,pay\n1,10\n');
  const body = { project_id: project, file_id: file, table_name: 'salaries' };
  const { tableId } = await ended(client, await client.call('POST', '/v1/table-imports', { body }));
  await replaceGrants(client, tableId, only(reader, 'read'));
  const written = await client.call('PUT', `/v1/projects/${project}/files/content?path=more.csv`, {
    body: { content: 'id,pay\n2,secret\n3,30\n' },
  });
  const replacing = { project_id: project, file_id: written.body.data.id, table_id: tableId };
  const done = await ended(
    client,
    await client.call('POST', '/v1/table-imports', {
      body: {
        ...{ ...replacing, mode: 'replace', on_bad_row: 'quarantine' },
        column_mappings: ['id', 'pay'].map((name) => ({
          ...{ source_column_name: name, target_column_name: name, data_type: 'INTEGER' },
        })),
      },
    }),
  );
  expect(done).toMatchObject({ status: 'succeeded', rowsQuarantined: 1 });
  const url = `/v1/tables/${done.quarantineTableId}`;
  const { name } = (await client.call('GET', url)).body.data;
  expect((await client.call('GET', `${url}/grants`)).body.data.grants).toEqual(only(reader, 'read'));
  const statusOf = async (by: TestClient | Person) => [
    (await by.call('GET', url)).status,
    (await by.call('GET', `${url}/rows`)).status,
    (await by.call('POST', '/v1/query-executions', { body: { sql: `SELECT raw FROM "${name}"` } })).status,
  ];
  expect(await statusOf(reader)).toEqual([200, 200, 200]);
  expect(await statusOf(outsider)).toEqual([404, 404, 400]);
  await replaceGrants(client, tableId, only(outsider, 'read'));
  expect(await statusOf(reader)).toEqual([404, 404, 400]);
  expect(await statusOf(outsider)).toEqual([200, 200, 200]);
  const refused = await client.call('PUT', `${url}/grants`, { body: { grants: [] } });
  expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
});

test('binary bytes under the name .csv end as a clear failure, however odd the bytes', async () => {
  const bytes = Buffer.from(Array.from({ length: 4_096 }, (_, index) => (index * 7) % 256));
  const project = (await client.call('POST', '/v1/projects', { body: { name: 'Odd' } })).body.data.id;
  const written = await client.call('PUT', `/v1/projects/${project}/files/content?path=odd.csv`, {
    body: { content: bytes.toString('base64'), encoding: 'base64' },
  });
  const url = `/v1/projects/${project}/files/${written.body.data.id}/imports`;
  const done = await ended(client, await client.call('POST', url, { body: { table_name: 'odd' } }));
  expect(done).toMatchObject({
    status: 'failed',
    error: { code: expect.any(String), message: expect.any(String) },
  });
});

test('replace swaps the whole content, and the past stays readable at its version', async () => {
  const first = await newFile(client, 'v1.csv', 'a\n1\n2\n');
  const one = await ended(
    client,
    await client.call('POST', `/v1/projects/${first.project}/files/${first.file}/imports`, {
      body: { table_name: 'swap' },
    }),
  );
  const taken = await client.call('POST', `/v1/projects/${first.project}/files/${first.file}/imports`, {
    body: { table_name: 'SWAP' },
  });
  expect(taken.body.code).toBe('name_taken');
  const second = await newFile(client, 'v2.csv', 'b\nx\n');
  const two = await ended(
    client,
    await client.call('POST', `/v1/projects/${second.project}/files/${second.file}/imports`, {
      body: { table_id: one.tableId, mode: 'replace' },
    }),
  );
  expect(two).toMatchObject({ status: 'succeeded', tableId: one.tableId });
  expect(await select(client, 'SELECT * FROM swap')).toEqual([{ b: 'x' }]);
  const past = await client.call('POST', '/v1/query-executions', {
    body: {
      sql: 'SELECT sum(a) AS total FROM swap',
      row_format: 'rows',
      at_versions: { swap: one.tableVersion },
    },
  });
  expect(past.status, past.text).toBe(200);
  expect(past.body.data.rows).toEqual([{ total: 3 }]);
  const versions = await client.call('GET', `/v1/tables/${one.tableId}/versions`);
  expect(versions.body.items).toMatchObject([
    { operation: 'replace', rowsAdded: 1, rowsRemoved: 2, runId: two.id },
    { operation: 'create', rowsAdded: 2, rowsRemoved: 0, runId: one.id },
  ]);
});

test("the request's trace reaches the process and each of its activities", async () => {
  const { project, file } = await newFile(client, 'traced.csv', csv);
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const started = await client.call('POST', `/v1/projects/${project}/files/${file}/imports`, {
    body: { table_name: 'traced' },
    headers: { traceparent, 'x-request-id': 'traced-request' },
  });
  const done = await ended(client, started);
  const { events } = await workspace.temporal.workflow.getHandle(`table-import/${done.id}`).fetchHistory();
  const scheduled = events!.flatMap((event) => event.activityTaskScheduledEventAttributes ?? []);
  expect(scheduled).toHaveLength(3);
  for (const { header } of scheduled) {
    const trace = JSON.parse(Buffer.from(header!.fields!['workspace-trace']!.data!).toString());
    expect(trace).toEqual({ requestId: 'traced-request', traceparent });
  }
});

test('the same import under one idempotency key is one import', async () => {
  const { project, file } = await newFile(client, 'once.csv', csv);
  const start = () =>
    client.call('POST', `/v1/projects/${project}/files/${file}/imports`, {
      body: { table_name: 'once' },
      headers: { 'idempotency-key': 'import-1' },
    });
  const first = await start();
  const second = await start();
  expect(second.text).toBe(first.text);
  await workspace.deps.lake.catalogPool.query(
    'UPDATE idempotency_keys SET response_status = NULL, response = NULL, lease_until = now()',
  );
  const third = await start();
  expect(third.body.data.id).toBe(first.body.data.id);
  expect((await ended(client, first)).status).toBe('succeeded');
});

test('an import can be cancelled, also twice, and an ended one stays as it ended', async () => {
  const { project, file } = await newFile(client, 'long.csv', `a\n${'1\n'.repeat(500_000)}`);
  const started = await client.call('POST', `/v1/projects/${project}/files/${file}/imports`, {
    body: { table_name: 'long' },
  });
  const url = `/v1/table-imports/${started.body.data.id}/cancel`;
  expect((await client.call('POST', url)).body.detail[0].loc).toEqual(['query', 'confirm']);
  expect([200, 202]).toContain((await client.call('POST', `${url}?confirm=true`)).status);
  const done = await ended(client, started);
  expect(['cancelled', 'succeeded']).toContain(done.status);
  const after = await client.call('POST', `${url}?confirm=true`);
  expect([after.status, after.body.data.status]).toEqual([200, done.status]);
  if (done.status === 'cancelled')
    expect((await client.call('GET', `/v1/tables/${done.tableId}`)).status).toBe(404);
});

test('the mappings of a preview are those of an import', async () => {
  const { project, file } = await newFile(client, 'mapped.csv', csv);
  const { columnMappings } = (await client.call('POST', `/v1/assets/${file}/previews`, { body: {} })).body
    .data;
  expect(columnMappings[1]).toEqual({
    source_column_name: 'city',
    target_column_name: 'city',
    data_type: 'STRING',
    unique: false,
    nullable: true,
    required: true,
  });
  const body = { table_name: 'mapped', column_mappings: columnMappings };
  const started = await client.call('POST', `/v1/projects/${project}/files/${file}/imports`, { body });
  expect(await ended(client, started)).toMatchObject({ status: 'succeeded', rowsImported: 2 });
});

test('an option that is what separates the columns is refused, by previews at its place and by imports with why', async () => {
  const { project, file } = await newFile(client, 'clash.csv', 'a,b\n1,2\n');
  for (const option of ['quote_character', 'thousands']) {
    const csv = { [option]: ',' };
    const answer = await client.call('POST', `/v1/assets/${file}/previews`, { body: { csv } });
    expect(answer.body.detail, answer.text).toMatchObject([{ loc: ['body', 'csv', option] }]);
    const body = { table_name: `clash_${option}`, csv };
    const started = await client.call('POST', `/v1/projects/${project}/files/${file}/imports`, { body });
    expect(await ended(client, started)).toMatchObject({
      status: 'failed',
      error: { code: `${option.split('_')[0]}_separates_columns` },
    });
  }
});

test('a column that the lake cannot have by its name gets another, and is refused where it is asked for', async () => {
  const { project, file } = await newFile(
    client,
    'system.csv',
    'ctid,Row_ID,_ducklake_internal_x,file_row_number\n1,2,3,4\n',
  );
  const start = (body: object) =>
    client.call('POST', `/v1/projects/${project}/files/${file}/imports`, { body });
  expect(await ended(client, await start({ table_name: 'system_names' }))).toMatchObject({
    status: 'succeeded',
  });
  expect(
    await select(
      client,
      'SELECT ctid_2 + Row_ID_2 + column__ducklake_internal_x_2 + file_row_number_2 AS n FROM system_names',
    ),
  ).toEqual([{ n: 10 }]);
  const mapping = { source_column_name: 'ctid', target_column_name: 'XMIN', data_type: 'INTEGER' };
  const refused = await start({ table_name: 'mapped_names', column_mappings: [mapping] });
  expect(refused.body.detail).toMatchObject([{ loc: ['body', 'column_mappings', 0, 'target_column_name'] }]);
});

test('previews parse real dialects, page, and name bad rows', async () => {
  const text = 'Report\nName;Betrag;Tag\n"Müller; Co";1.234,50;31/12/2025\nBad;x;01/01/2026\n';
  const { file } = await newFile(client, 'de.csv', text);
  const answer = await client.call('POST', `/v1/assets/${file}/previews`, {
    body: {
      csv: {
        column_separator: ';',
        header_row: 2,
        first_data_row: 3,
        thousands: '.',
        date_format: 'dd/MM/yyyy',
      },
      column_mappings: [
        { source_column_name: 'Name', target_column_name: 'name', data_type: 'STRING' },
        { source_column_name: 'Betrag', target_column_name: 'amount', data_type: 'DECIMAL(12,2)' },
        { source_column_name: 'Tag', target_column_name: 'day', data_type: 'DATE' },
      ],
    },
  });
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body.data).toMatchObject({
    columns: [
      { sourceName: 'Name', targetName: 'name', dataType: 'STRING' },
      { sourceName: 'Betrag', targetName: 'amount', dataType: 'DECIMAL(12,2)' },
      { sourceName: 'Tag', targetName: 'day', dataType: 'DATE' },
    ],
    rows: [['Müller; Co', '1234.50', '2025-12-31']],
    badRows: [{ line: 4, column: 'Betrag', raw: 'Bad;x;01/01/2026' }],
  });
});

test('bad options are faults at their place, before anything starts', async () => {
  const { project, file } = await newFile(client, 'x.csv', csv);
  const url = `/v1/projects/${project}/files/${file}/imports`;
  const faults = async (body: object) => {
    const answer = await client.call('POST', url, { body });
    expect(answer.status, answer.text).toBe(422);
    return answer.body.detail.map((fault: { loc: unknown[] }) => fault.loc.slice(1).join('.'));
  };
  expect(await faults({})).toEqual(['table_name']);
  expect(await faults({ table_name: 'a', table_id: 'tbl_x' })).toContain('table_id');
  expect(await faults({ table_name: 'a', csv: { column_separator: ',', thousands: ',' } })).toEqual([
    'csv.thousands',
  ]);
  const mapping = { source_column_name: 'city', target_column_name: 'c', data_type: 'NUMBERS' };
  expect(await faults({ table_name: 'a', column_mappings: [mapping] })).toEqual([
    'column_mappings.0.data_type',
  ]);
});

test('a title above the header is no row, and the import says so', async () => {
  const { project, file } = await newFile(client, 'titled.csv', 'Orders of May\nno,city\n1,Porto\n2,Lagos\n');
  const started = await client.call('POST', `/v1/projects/${project}/files/${file}/imports`, {
    body: { table_name: 'titled' },
  });
  const done = await ended(client, started);
  expect(done).toMatchObject({ rowsImported: 2, skippedLines: [{ line: 1 }] });
  expect(done.skippedLines[0].reason).toMatch(/^Before the header/);
});
