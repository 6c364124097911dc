// The tour with openapi-fetch: node tour.ts URL CLIENT_ID CLIENT_SECRET
// `schema.ts` is what openapi-typescript makes of /openapi.json.
import { setTimeout as delay } from 'node:timers/promises';
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.ts';

const [baseUrl = '', client_id = '', client_secret = ''] = process.argv.slice(2);
/** Without the second type, answers that also come as CSV or as a document are of either type. */
const api = createClient<paths, 'application/json' | 'application/problem+json'>({ baseUrl });

/** What was answered; a problem is thrown. */
function ok<T>({ data, error, response }: { data?: T; error?: unknown; response: Response }): T {
  if (data === undefined) throw new Error(`${response.url}: ${response.status} ${JSON.stringify(error)}`);
  return data;
}

/** Looks five times a second for a minute, until the work has ended. */
async function ended<T extends { status: string }>(look: () => Promise<{ data: T }>): Promise<T> {
  for (let looks = 0; looks < 300; looks += 1) {
    const { data } = await look();
    if (data.status !== 'queued' && data.status !== 'running') return data;
    await delay(200);
  }
  throw new Error('It has not ended within a minute.');
}

const said = (what: string, value: unknown) => console.log(what, JSON.stringify(value));

// A token, sent with every request from here on.
const token = ok(
  await api.POST('/v1/auth/m2m/token', {
    body: { client_id, client_secret },
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  }),
);
api.use({
  onRequest: ({ request }) => request.headers.set('Authorization', `Bearer ${token.access_token}`),
});

// A file, uploaded straight to storage.
const { data: project } = ok(await api.POST('/v1/projects', { body: { name: 'Tour' } }));
const inProject = { project_id: project.id };
const { data: upload } = ok(
  await api.POST('/v1/projects/{project_id}/files/uploads', { params: { path: inProject } }),
);
const form = new FormData();
for (const [name, value] of Object.entries(upload.fields)) form.append(name, value);
form.append('file', new Blob(['order_no,city,amount\nA-1,Porto,12.5\nA-2,Lagos,8\nA-3,Porto,2.5\n']));
said('uploaded', (await fetch(upload.url, { method: 'POST', body: form })).ok);
const { data: file } = ok(
  await api.POST('/v1/projects/{project_id}/files/uploads/{upload_id}/finalize', {
    params: { path: { ...inProject, upload_id: upload.upload_id } },
    body: { path: 'orders.csv' },
  }),
);

// How it would be read, and its import.
const { data: preview } = ok(
  await api.POST('/v1/assets/{asset_id}/previews', {
    params: { path: { asset_id: file.id } },
    body: { page_size: 2 },
  }),
);
said(
  'columns',
  Object.fromEntries(preview.columns.map(({ targetName, dataType }) => [targetName, dataType])),
);
const { data: started } = ok(
  await api.POST('/v1/projects/{project_id}/files/{file_id}/imports', {
    params: { path: { ...inProject, file_id: file.id } },
    body: { table_name: 'orders', column_mappings: preview.columnMappings },
  }),
);
const imported = await ended(async () =>
  ok(await api.GET('/v1/table-imports/{import_id}', { params: { path: { import_id: started.id } } })),
);
said('import', [imported.status, imported.rowsImported]);

// A question.
const { data: answer } = ok(
  await api.POST('/v1/query-executions', {
    body: {
      sql: 'SELECT city, count(*) AS orders FROM orders GROUP BY ALL ORDER BY city',
      row_format: 'rows',
    },
  }),
);
said('orders', answer.rows);

// A table of one's own rows: appended to, upserted, read page by page.
const { data: table } = ok(
  await api.POST('/v1/grid/tables', {
    body: {
      name: 'targets',
      kind: 'data',
      columns: [{ name: 'city' }, { name: 'target', data_type: 'INTEGER' }],
      key_columns: ['city'],
    },
  }),
);
const path = { table_id: table.tableId };
const { data: appended } = ok(
  await api.POST('/v1/tables/{table_id}/rows', {
    params: { path },
    body: { rows: [{ s_id: 1, city: 'Porto', target: 10 }] },
  }),
);
said('appended', appended.rowsWritten);
const { data: upserted } = ok(
  await api.PUT('/v1/tables/{table_id}/rows', {
    params: { path, header: { 'idempotency-key': 'targets-2' } },
    body: {
      rows: [
        { city: 'Porto', target: 20 },
        { s_id: 2, city: 'Lagos', target: 5 },
      ],
    },
  }),
);
said('upserted', [upserted.inserted, upserted.updated]);
let cursor: string | undefined;
do {
  const page = ok(
    await api.GET('/v1/tables/{table_id}/rows', { params: { path, query: { limit: 1, cursor } } }),
  );
  said(
    'page',
    page.items.map(({ city, target }) => [city, target]),
  );
  cursor = page.nextCursor ?? undefined;
} while (cursor !== undefined);
const { tables } = ok(await api.GET('/v1/tables'));
const own = tables.filter(({ kind }) => kind !== 'system');
said('tables', own.map(({ name, kind }) => `${name} ${kind}`).sort());

// An export, downloaded from storage.
const { data: asked } = ok(
  await api.POST('/v1/exports', {
    body: { sql: 'SELECT city, target FROM targets ORDER BY city', format: 'csv' },
  }),
);
const exported = await ended(async () =>
  ok(await api.GET('/v1/exports/{export_id}', { params: { path: { export_id: asked.id } } })),
);
said('export', [exported.status, exported.rowsWritten]);
for (const { url } of exported.files) said('content', await (await fetch(url ?? '')).text());

// The end of the table: it is not found any more.
ok(await api.DELETE('/v1/tables/{table_id}', { params: { path, query: { confirm: 'true' } } }));
const gone = await api.GET('/v1/tables/{table_id}', { params: { path } });
if (gone.error === undefined) throw new Error('It is still there.');
const problem: components['schemas']['Problem'] = gone.error;
said('gone', [gone.response.headers.get('content-type'), problem.status, problem.code]);
