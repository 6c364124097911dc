/**
 * An upsert of 100,000 records, half of them new, into a table of ten million rows: through the API as a
 * batch of 20 pages, compared with the bare engine's MERGE of the same records into a copy of the table in
 * the same lake.
 *
 *   npm start                     (in another terminal)
 *   node bench/upsert.ts [rows] [records] [rounds]
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { identifier, literal } from '../data/lake/sql.ts';
import { ingest, pagesOf } from './batch.ts';
import { openBareLakes } from './lake.ts';
import { openApi, readStack } from './workspace.ts';

const [rows = 10_000_000, records = 100_000, rounds = 3] = process.argv.slice(2).map(Number);
const recordsPerPage = 5_000;
const clients = 4;

const columns = [
  { name: 'code', data_type: 'INTEGER', engineType: 'BIGINT' },
  { name: 'customer', data_type: 'STRING', engineType: 'VARCHAR' },
  { name: 'amount', data_type: 'DECIMAL(12,2)', engineType: 'DECIMAL(12,2)' },
  { name: 'day', data_type: 'DATE', engineType: 'DATE' },
  { name: 'changed_at', data_type: 'TIMESTAMP', engineType: 'TIMESTAMP' },
];
const names = ['s_id', ...columns.map(({ name }) => name)];

const stack = readStack();
const api = await openApi(stack);
const lakes = await openBareLakes(stack);
const { workDir } = lakes;

interface Target {
  tableId: string;
  syncId: string;
  /** The names of the table and of its copy in the lake. */
  name: string;
  copy: string;
}

/** The table as an import would leave it: its rows are written directly into the lake, twice. */
async function prepare(): Promise<Target> {
  const name = `bench_upsert_${Date.now()}`;
  const { data: table } = await api.json<{ data: { tableId: string } }>('POST', '/v1/grid/tables', {
    name,
    kind: 'data',
    columns: columns.map(({ name, data_type }) => ({ name, data_type })),
  });
  const { data: sync } = await api.json<{ data: { id: string } }>('POST', '/v1/data-syncs', {
    table_id: table.tableId,
    key_columns: ['code'],
    provider: 'bench',
    generation: '1',
  });
  const copy = `${name}_copy`;
  await lakes.use(table.tableId, async (connection) => {
    await connection.run(
      `INSERT INTO ${identifier(name)} BY NAME
       SELECT k AS s_id, now() AS _sm_created_at, k * 2 AS code, 'customer ' || (k % 50_000) AS customer,
              ((k % 1_000_000) / 100)::DECIMAL(12,2) AS amount, DATE '2026-01-01' + (k % 300)::INTEGER AS day,
              TIMESTAMP '2026-01-01' + to_seconds(k) AS changed_at
       FROM range(1, ${rows + 1}) AS t(k)`,
    );
    await connection.run(`CREATE TABLE ${identifier(copy)} AS FROM ${identifier(name)}`);
  });
  return { tableId: table.tableId, syncId: sync.id, name, copy };
}

/** Every other record already has a row; the rows are spread over the whole table. */
function recordText(round: number, index: number): string {
  const isNew = index % 2 === 0;
  const k = isNew ? rows + round * records + index : (((round * records + index) * 7_919_777) % rows) + 1;
  const code = k * 2;
  return `{"s_id":${k},"code":${code},"customer":"changed ${index}","amount":${index / 4},"day":"2026-11-21","changed_at":"2026-11-21T10:00:00.5"}`;
}

async function throughApi({ tableId, syncId }: Target, lines: readonly string[]): Promise<number> {
  const pages = pagesOf(lines, recordsPerPage);
  const options = { mode: 'upsert', sync_id: syncId };
  const { rowsInserted, rowsUpdated, stagedMs, totalMs } = await ingest(
    api,
    tableId,
    options,
    pages,
    clients,
  );
  console.log(
    `  batch: ${rowsInserted} inserted, ${rowsUpdated} updated; staged after ${stagedMs.toFixed(0)} ms`,
  );
  return totalMs;
}

async function bareMerge({ tableId, copy }: Target, lines: readonly string[]): Promise<number> {
  const file = join(workDir, 'records.ndjson');
  await writeFile(file, `${lines.join('\n')}\n`);
  const types = [{ name: 's_id', engineType: 'BIGINT' }, ...columns]
    .map(({ name, engineType }) => `${name}: '${engineType}'`)
    .join(', ');
  const updates = names.filter((name) => name !== 's_id' && name !== 'code');
  return lakes.use(tableId, async (connection) => {
    const startedMs = performance.now();
    await connection.run(
      `MERGE INTO ${identifier(copy)} AS t
       USING (FROM read_json(${literal(file)}, format = 'newline_delimited', columns = {${types}})) AS i
       ON t.code = i.code
       WHEN MATCHED THEN UPDATE SET ${updates.map((name) => `${name} = i.${name}`).join(', ')}
       WHEN NOT MATCHED THEN INSERT (_sm_created_at, ${names.join(', ')})
         VALUES (now(), ${names.map((name) => `i.${name}`).join(', ')})`,
    );
    return performance.now() - startedMs;
  });
}

try {
  const target = await prepare();
  console.log(`${records} records, half of them new, into ${rows} rows`);
  for (let round = 1; round <= rounds; round += 1) {
    const lines = Array.from({ length: records }, (_, index) => recordText(round, index));
    const bareMs = await bareMerge(target, lines);
    const batchMs = await throughApi(target, lines);
    console.log(
      `round ${round}: batch ${batchMs.toFixed(0)} ms, bare MERGE ${bareMs.toFixed(0)} ms; ratio ${(batchMs / bareMs).toFixed(2)}`,
    );
  }
  await lakes.use(target.tableId, (connection) => connection.run(`DROP TABLE ${identifier(target.copy)}`));
  await api.call('DELETE', `/v1/tables/${target.tableId}?confirm=true`);
} finally {
  await lakes.close();
}
process.exit(0);
