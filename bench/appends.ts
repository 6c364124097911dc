/**
 * Small durable appends: 32 clients repeatedly send 10 rows each to one data table over HTTP, or in turn to
 * several; then the same clients insert the same rows into as many plain tables of the same PostgreSQL.
 *
 *   npm start                     (in another terminal)
 *   node bench/appends.ts [seconds] [clients] [rows] [tables]
 */
import pg from 'pg';
import { openApi, quantile, readStack } from './workspace.ts';

const [seconds = 10, clients = 32, rowsPerRequest = 10, tableCount = 1] = process.argv.slice(2).map(Number);
const stack = readStack();
const api = await openApi(stack);
const names = Array.from({ length: tableCount }, (_, at) => `bench_appends_${Date.now()}_${at}`);
const columns = [
  { name: 'device', data_type: 'STRING' },
  { name: 'value', data_type: 'DOUBLE' },
  { name: 'at', data_type: 'TIMESTAMP' },
];
const tables = await Promise.all(
  names.map(async (name) => {
    const body = { name, kind: 'data', columns };
    const { data } = await api.json<{ data: { tableId: string } }>('POST', '/v1/grid/tables', body);
    return data.tableId;
  }),
);

let nextId = 0;
function rows(): { s_id: number; device: string; value: number; at: string }[] {
  return Array.from({ length: rowsPerRequest }, () => {
    nextId += 1;
    return { s_id: nextId, device: `device-${nextId % 1_000}`, value: nextId / 7, at: '2026-11-21T08:00:00' };
  });
}

async function run(label: string, append: (client: number) => Promise<void>): Promise<number> {
  const times: number[] = [];
  const startedMs = performance.now();
  const untilMs = startedMs + seconds * 1_000;
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      while (performance.now() < untilMs) {
        const beforeMs = performance.now();
        await append(client);
        times.push(performance.now() - beforeMs);
      }
    }),
  );
  const rate = (times.length * rowsPerRequest) / ((performance.now() - startedMs) / 1_000);
  console.log(
    `${label}: ${Math.round(rate)} rows/s, p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms`,
  );
  return rate;
}

const ours = await run('appends through HTTP', async (client) => {
  await api.call('POST', `/v1/tables/${tables[client % tableCount]}/rows`, JSON.stringify({ rows: rows() }));
});
const counts = names.map((name) => `(SELECT count(*) FROM ${name})`);
const count = await api.json<{ data: { rows: { n: number }[] } }>('POST', '/v1/query-executions', {
  sql: `SELECT ${counts.join(' + ')} AS n`,
});
if (count.data.rows[0]?.n !== nextId)
  throw new Error(`${nextId} rows were acknowledged, ${count.data.rows[0]?.n} are there.`);

const pool = new pg.Pool({ connectionString: stack.databaseUrl, max: clients });
for (const name of names)
  await pool.query(
    `CREATE TABLE ${name} (s_id bigint PRIMARY KEY, device text, value double precision, at timestamp)`,
  );
const plain = await run('plain PostgreSQL INSERT', async (client) => {
  const values = rows();
  await pool.query(
    `INSERT INTO ${names[client % tableCount]} SELECT * FROM unnest($1::bigint[], $2::text[], $3::float8[], $4::timestamp[])`,
    [
      values.map((row) => row.s_id),
      values.map((row) => row.device),
      values.map((row) => row.value),
      values.map((row) => row.at),
    ],
  );
});
for (const name of names) await pool.query(`DROP TABLE ${name}`);
await pool.end();
for (const id of tables) await api.call('DELETE', `/v1/tables/${id}?confirm=true`);
console.log(`ratio ${(ours / plain).toFixed(2)}`);
process.exit(0);
