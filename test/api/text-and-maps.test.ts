import { expect, test } from 'vitest';
import { type TestClient, useOrganization, useWorkspace } from '../support/workspace.ts';

const workspace = useWorkspace();
const client = useOrganization(workspace);

const json = (text: string) => ({ raw: { text, contentType: 'application/json' } });
const half = '\\ud83d';
const nul = '\\u0000';

let made = 0;

async function things(client: TestClient) {
  made += 1;
  const project = (await client.call('POST', '/v1/projects', { body: { name: 'p' } })).body.data.id as string;
  const body = {
    name: `readings ${made}`,
    kind: 'data',
    columns: [{ name: 'amount' }, { name: '__proto__' }],
  };
  const table = (await client.call('POST', '/v1/grid/tables', { body })).body.data.tableId as string;
  return { project, table, name: body.name };
}

test('text that cannot be kept as it is is refused at its place, wherever it is stored', async () => {
  const { project, table } = await things(client);
  const batch = await client.call('POST', `/v1/tables/${table}/ingestion-batches`, {
    body: { mode: 'append' },
  });
  const refused: [
    Parameters<typeof client.call>[0],
    string,
    (text: string) => string,
    (string | number)[],
  ][] = [
    ['POST', '/v1/projects', (text) => `{"name":"a${text}"}`, ['name']],
    ['PATCH', `/v1/projects/${project}`, (text) => `{"description":"${text}"}`, ['description']],
    ['PUT', `/v1/projects/${project}/files/content?path=a`, (text) => `{"content":"${text}"}`, ['content']],
    ['PATCH', `/v1/tables/${table}/catalog`, (text) => `{"description":"${text}"}`, ['description']],
    ['PATCH', `/v1/tables/${table}/catalog`, (text) => `{"owner_user_id":"${text}"}`, ['owner_user_id']],
    [
      'PATCH',
      `/v1/tables/${table}/catalog`,
      (text) => `{"columns":[{"name":"amount","note":"${text}"}]}`,
      ['columns', 0, 'note'],
    ],
    [
      'PATCH',
      `/v1/tables/${table}/catalog`,
      (text) => `{"semantics":{"a":[{"b":"${text}"}]}}`,
      ['semantics', 'a', 0, 'b'],
    ],
    ['POST', '/v1/grid/tables', (text) => `{"name":"${text}","kind":"data","columns":[]}`, ['name']],
    [
      'POST',
      '/v1/grid/tables',
      (text) => `{"name":"n","kind":"data","columns":[{"name":"${text}"}]}`,
      ['columns', 0, 'name'],
    ],
    ['POST', '/v1/query-executions', (text) => `{"sql":"SELECT '${text}'"}`, ['sql']],
    [
      'POST',
      '/v1/data-syncs',
      (text) => `{"table_id":"${table}","provider":"${text}","generation":"g"}`,
      ['provider'],
    ],
    [
      'POST',
      `/v1/tables/${table}/ingestion-batches`,
      (text) => `{"mode":"append","client_batch_id":"${text}"}`,
      ['client_batch_id'],
    ],
    [
      'POST',
      `/v1/tables/${table}/ingestion-batches/${batch.body.data.id}/complete`,
      (text) => `{"page_count":1,"checkpoint":["${text}"]}`,
      ['checkpoint', 0],
    ],
  ];
  for (const [method, url, bodyWith, place] of refused) {
    for (const text of [half, nul]) {
      const answer = await client.call(method, url, json(bodyWith(text)));
      const told = `${method} ${url} ${bodyWith(text)} ${answer.text}`;
      expect(answer.status, told).toBe(422);
      expect(answer.body.detail, told).toEqual([
        { loc: ['body', ...place], msg: expect.any(String), type: 'value_error' },
      ]);
    }
    // Well-formed pairs only look alike.
    const whole = await client.call(method, url, json(bodyWith('\\ud83d\\ude00')));
    expect(JSON.stringify(whole.body.detail ?? ''), url).not.toMatch(/surrogate|NUL/);
  }
});

test('text of records that cannot be kept is refused at its place, and a comparison with NUL is told', async () => {
  const columns = [{ name: 's' }, { name: 'j', data_type: 'JSON' }];
  const body = { name: 'texts', kind: 'data', columns, key_columns: ['s'], key_enforced: true };
  const made = await client.call('POST', '/v1/grid/tables', { body });
  const rows = `/v1/tables/${made.body.data.tableId}/rows`;
  for (const text of [half, nul]) {
    for (const [name, value] of [
      ['s', `"a${text}"`],
      ['j', `{"a${text}":1}`],
      ['j', `["${text}"]`],
    ]) {
      const record = name === 's' ? `{"s_id":1,"s":${value}}` : `{"s_id":1,"s":"b","j":${value}}`;
      for (const method of ['POST', 'PUT'] as const) {
        const answer = await client.call(method, rows, json(`{"rows":[${record}]}`));
        const told = `${method} ${record} ${answer.text}`;
        expect(answer.status, told).toBe(422);
        expect(answer.body.detail, told).toMatchObject([{ loc: ['body', 'rows', 0, name] }]);
      }
    }
  }
  // A backslash and letters are text like any other.
  const plain = await client.call(
    'POST',
    rows,
    json('{"rows":[{"s_id":1,"s":"\\\\u0000","j":["\\\\u0000"]}]}'),
  );
  expect(plain.status, plain.text).toBe(200);
  const { name } = await things(client);
  const select = async (condition: string) => {
    const sql = `SELECT amount FROM "${name}" WHERE ${condition}`;
    return client.call('POST', '/v1/query-executions', { body: { sql } });
  };
  // What an error quotes is no error of the lake.
  for (const text of ['DuckLake: x', 'No space left on device', 'No snapshot found at version 1']) {
    const sql = `SELECT '${text}'::INTEGER AS n`;
    const answer = await client.call('POST', '/v1/query-executions', { body: { sql } });
    expect(answer.body).toMatchObject({ status: 400, code: 'query_failed' });
  }
  // Only the lake's catalog cannot be asked for one; a text that names a column of it has DuckLake read the table.
  const compared = "amount = 'x' || chr(0) || 'y'";
  expect((await select(compared)).body.data.rows).toEqual([]);
  expect((await select(`${compared} AND 'filename' <> ''`)).body).toMatchObject({
    status: 400,
    code: 'query_failed',
  });
  expect((await select("amount || '' = 'x' || chr(0) || 'y'")).body.data).toMatchObject({ rows: [] });
});

test('a key that cannot be kept is refused at its map', async () => {
  const { table } = await things(client);
  const answer = await client.call(
    'PATCH',
    `/v1/tables/${table}/catalog`,
    json(`{"semantics":{"${nul}":1}}`),
  );
  expect([answer.status, answer.body.detail[0].loc.slice(0, 2)]).toEqual([422, ['body', 'semantics']]);
});

test('NUL in a query parameter is told at its place, and in a path it names nothing', async () => {
  const { project, table } = await things(client);
  for (const [url, name] of [
    ['/v1/tables?project_id=%00', 'project_id'],
    ['/v1/projects?cursor=a%00', 'cursor'],
    [`/v1/projects/${project}/files/content?path=a%00b`, 'path'],
    [`/v1/projects/${project}/files/content?path=caf%E9.csv`, 'path'],
    [`/v1/projects/${project}/files/content?path=%ED%A0%80`, 'path'],
    ['/v1/projects?limit=2&cursor=%zz', 'cursor'],
  ] as const) {
    const method = name === 'path' ? 'PUT' : 'GET';
    const answer = await client.call(method, url, method === 'PUT' ? { body: { content: '' } } : {});
    expect([answer.status, answer.body.detail?.[0].loc], url).toEqual([422, ['query', name]]);
  }
  for (const unknown of ['%00', '%zz'])
    expect((await client.call('GET', `/v1/projects?unknown=${unknown}`)).status).toBe(200);
  for (const [method, url] of [
    ['GET', '/v1/projects/%00'],
    ['GET', `/v1/projects/${project}/files/a%00`],
    ['PATCH', `/v1/grid/tables/${table}/columns/%00`],
    ['GET', '/v1/query-executions/%00'],
    ['GET', '/v1/lake-maintenance/runs/%00'],
    ['GET', `/v1/tables/${table}/ingestion-batches/%00`],
    ['GET', '/v1/data-syncs/%00/pages/%00'],
    ['GET', '/v1/table-imports/%00'],
    ['GET', '/problems/%00'],
  ] as const) {
    const answer = await client.call(method, url, method === 'PATCH' ? { body: { cast: true } } : {});
    expect([answer.status, answer.body.code], url).toEqual([404, 'not_found']);
  }
});

test('a map comes back as it was sent, and takes no more room than that', async () => {
  const { table } = await things(client);
  const url = `/v1/tables/${table}/catalog`;
  const sent = `{"__proto__":{"a":1},"constructor":null,"n":[12345678901234567890.123,1e400,-1E-400,0.1],"é":"\\ud83d\\ude00"}`;
  const answer = await client.call('PATCH', url, json(`{"semantics":${sent}}`));
  expect(answer.status, answer.text).toBe(200);
  const kept = `{"__proto__":{"a":1},"constructor":null,"n":[12345678901234567890.123,1e400,-1E-400,0.1],"é":"😀"}`;
  expect(answer.text).toContain(`"semantics":${kept}`);
  expect((await client.call('GET', url)).text).toContain(`"semantics":${kept}`);
  const many = `{"n":[${Array(13_000).fill('1e400').join(',')}]}`;
  expect((await client.call('PATCH', url, json(`{"semantics":${many}}`))).status).toBe(422);
  const most = `{"n":[${Array(10_000).fill('1e400').join(',')}]}`;
  const large = await client.call('PATCH', url, json(`{"semantics":${most}}`));
  expect([large.status, large.text.length < 70_000]).toEqual([200, true]);
  expect((await client.call('GET', '/v1/tables/catalog')).text.length).toBeLessThan(70_000);
});

test.each([
  ['a map beyond 64 KiB', `{"a":"${'é'.repeat(32_768)}"}`, ['semantics']],
  ['a number of more than 1,000 characters', `{"a":[0,${'1'.repeat(1_001)}]}`, ['semantics', 'a', 1]],
  ['an exponent beyond 400', '{"a":{"b":1e401}}', ['semantics', 'a', 'b']],
  ['an exponent below -400', '{"a":1e-401}', ['semantics', 'a']],
  ['a list', '[]', ['semantics']],
  ['a number', '1e500', ['semantics']],
])('%s is refused at its place', async (_what, semantics, place) => {
  const { table } = await things(client);
  const answer = await client.call(
    'PATCH',
    `/v1/tables/${table}/catalog`,
    json(`{"semantics":${semantics}}`),
  );
  expect([answer.status, answer.body.detail?.[0].loc], answer.text).toEqual([422, ['body', ...place]]);
});

test('a checkpoint keeps its numbers, and is not written out', async () => {
  const { table } = await things(client);
  const sync = (
    await client.call('POST', '/v1/data-syncs', { body: { table_id: table, provider: 'p', generation: 'g' } })
  ).body.data.id;
  const batch = await client.call('POST', `/v1/tables/${table}/ingestion-batches`, {
    body: { mode: 'append', sync_id: sync },
  });
  const url = `/v1/tables/${table}/ingestion-batches/${batch.body.data.id}`;
  await client.call('PUT', `${url}/pages/1`, { body: { records: [] } });
  const checkpoint = `{"at":[${Array(1_000).fill('1e400').join(',')}]}`;
  const complete = () =>
    client.call('POST', `${url}/complete`, json(`{"page_count":1,"checkpoint":${checkpoint}}`));
  expect((await complete()).status).toBe(202);
  expect((await complete()).status).toBe(202);
  const { rows } = await workspace.deps.lake.catalogPool.query(
    'SELECT length(checkpoint::text) AS length FROM ingestion_batches WHERE id = $1',
    [batch.body.data.id],
  );
  expect(rows[0].length).toBeLessThan(10_000);
});

test('a column may have any name, and has its notes under it', async () => {
  const { table } = await things(client);
  const answer = await client.call('PATCH', `/v1/tables/${table}/catalog`, {
    body: { columns: [{ name: '__proto__', description: 'Odd.' }] },
  });
  const column = (name: string) =>
    answer.body.data.columns.find((one: { name: string }) => one.name === name);
  expect(column('__proto__').description).toBe('Odd.');
  expect(column('amount').description).toBeNull();
});
