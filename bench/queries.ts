/**
 * Query overhead: the 22 TPC-H queries over HTTP compared with the bare engine on the same Parquet files in
 * the same store, and a trivial SELECT. The data is created by the engine's own generator and loaded through
 * uploads and imports.
 *
 *   npm start                     (in another terminal)
 *   node bench/queries.ts [scale] [runs]
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import pg from 'pg';
import { objectStoreSecret } from '../data/lake/attach.ts';
import { openApi, quantile, readStack } from './workspace.ts';

const [scale = 1, runs = 3] = process.argv.slice(2).map(Number);
const tables = ['region', 'nation', 'supplier', 'customer', 'part', 'partsupp', 'orders', 'lineitem'];
const stack = readStack();
const { environment } = stack;
const api = await openApi(stack);
let asked = 0;
const folder = await mkdtemp(join(tmpdir(), 'bench-queries-'));

const instance = await DuckDBInstance.create(':memory:', { threads: environment['QUERY_THREADS'] ?? '2' });
const bare = await instance.connect();
for (const name of ['icu', 'json', 'httpfs', 'tpch']) {
  await bare.run(`LOAD '${environment['DUCKDB_EXTENSION_DIR']}/${name}.duckdb_extension'`);
}
await bare.run(
  objectStoreSecret(
    'store',
    {
      endpoint: environment['S3_ENDPOINT'],
      region: environment['S3_REGION']!,
      bucket: environment['S3_BUCKET']!,
      accessKeyId: environment['S3_ACCESS_KEY_ID']!,
      secretAccessKey: environment['S3_SECRET_ACCESS_KEY']!,
    },
    `s3://${environment['S3_BUCKET']!}/`,
  ),
);
await load();
await viewLakeFiles();

const queries = (await bare.runAndReadAll('SELECT query FROM tpch_queries() ORDER BY query_nr'))
  .getRows()
  .map(([sql]) => String(sql));
const ratios: number[] = [];
for (const [index, sql] of queries.entries()) {
  const [ours, engine] = await paired(sql);
  ratios.push(ours / engine);
  console.log(
    `Q${String(index + 1).padStart(2, '0')}  http ${ours.toFixed(1)} ms  engine ${engine.toFixed(1)} ms  ratio ${(ours / engine).toFixed(2)}`,
  );
}
const mean = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
console.log(`TPC-H at scale ${scale}: geometric mean of ratios ${mean.toFixed(3)}`);

const http: number[] = [];
const engine: number[] = [];
for (let index = 0; index < 200; index += 1) {
  http.push(await timed(() => ask('SELECT n_name FROM nation WHERE n_nationkey = 7')));
  engine.push(await timed(() => bare.runAndReadAll('SELECT n_name FROM nation WHERE n_nationkey = 7')));
}
console.log(
  `a trivial SELECT: p50 http ${quantile(http, 0.5).toFixed(1)} ms, engine ${quantile(engine, 0.5).toFixed(1)} ms`,
);
await rm(folder, { recursive: true });
process.exit(0);

/** A new text each time, since an answer of the same text would only be remembered. */
function ask(sql: string): Promise<string> {
  asked += 1;
  return api.call(
    'POST',
    '/v1/query-executions',
    JSON.stringify({ sql: `${sql} -- ${asked}`, limit: 10_000, timeout_ms: 120_000, row_format: 'rows' }),
  );
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

/** The best of a few alternating runs each, so that a machine that slows down affects both. */
async function paired(sql: string): Promise<[number, number]> {
  const best: [number, number] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let run = 0; run < runs; run += 1) {
    best[0] = Math.min(best[0], await timed(() => ask(sql)));
    best[1] = Math.min(best[1], await timed(() => bare.runAndReadAll(sql)));
  }
  return best;
}

async function load(): Promise<void> {
  const { tables: known } = await api.json<{ tables: { name: string; rowCount: number }[] }>(
    'GET',
    '/v1/tables',
  );
  if (known.find(({ name }) => name === 'lineitem')?.rowCount === 0) throw new Error('lineitem is empty');
  if (tables.every((name) => known.some((table) => table.name === name))) return;
  await bare.run(`CALL dbgen(sf => ${scale})`);
  const project = (await api.json<{ data: { id: string } }>('POST', '/v1/projects', { name: 'TPC-H' })).data
    .id;
  for (const name of tables) {
    await bare.run(`COPY ${name} TO '${folder}/${name}.parquet'`);
    await bare.run(`DROP TABLE ${name}`);
    await importFile(project, name);
  }
}

async function importFile(project: string, name: string): Promise<void> {
  type Form = { data: { upload_id: string; url: string; fields: Record<string, string> } };
  const { data } = await api.json<Form>('POST', `/v1/projects/${project}/files/uploads`);
  const form = new FormData();
  for (const [key, value] of Object.entries(data.fields)) form.append(key, value);
  form.append('file', new Blob([new Uint8Array(await readFile(`${folder}/${name}.parquet`))]));
  const sent = await fetch(data.url, { method: 'POST', body: form });
  if (!sent.ok) throw new Error(`upload of ${name}: ${sent.status}`);
  const file = await api.json<{ data: { id: string } }>(
    'POST',
    `/v1/projects/${project}/files/uploads/${data.upload_id}/finalize`,
    { path: `${name}.parquet` },
  );
  const started = await api.json<{ data: { id: string } }>(
    'POST',
    `/v1/projects/${project}/files/${file.data.id}/imports`,
    { table_name: name },
  );
  for (;;) {
    const { data: state } = await api.json<{ data: { status: string; error: unknown } }>(
      'GET',
      `/v1/table-imports/${started.data.id}`,
    );
    if (state.status === 'succeeded') return;
    if (state.status !== 'queued' && state.status !== 'running')
      throw new Error(`import of ${name}: ${JSON.stringify(state.error)}`);
    await setTimeout(200);
  }
}

/** The bare engine reads the same files as the lake. */
async function viewLakeFiles(): Promise<void> {
  const client = new pg.Client({ connectionString: stack.databaseUrl });
  await client.connect();
  const { data: me } = await api.json<{ data: { organizationId: string } }>('GET', '/v1/me');
  const lake = (
    await client.query('SELECT schema_name, data_path FROM lakes WHERE organization_id = $1', [
      me.organizationId,
    ])
  ).rows[0];
  for (const name of tables) {
    const { rows } = await client.query(
      `SELECT s.path AS schema_path, t.path AS table_path, f.path, f.path_is_relative FROM "${lake.schema_name}".ducklake_table t
       JOIN "${lake.schema_name}".ducklake_schema s USING (schema_id)
       JOIN "${lake.schema_name}".ducklake_data_file f ON f.table_id = t.table_id AND f.end_snapshot IS NULL
       WHERE t.table_name = $1 AND t.end_snapshot IS NULL`,
      [name],
    );
    const files = rows.map((row) =>
      row.path_is_relative ? `${lake.data_path}${row.schema_path}${row.table_path}${row.path}` : row.path,
    );
    await createView(bare, name, files);
  }
  await client.end();
}

async function createView(connection: DuckDBConnection, name: string, files: string[]): Promise<void> {
  await connection.run(
    `CREATE OR REPLACE VIEW ${name} AS SELECT * FROM read_parquet([${files.map((file) => `'${file}'`).join(', ')}])`,
  );
}
