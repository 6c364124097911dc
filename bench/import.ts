/**
 * Import of a CSV file compared with the bare engine doing the same, both from S3 to Parquet in S3, in one
 * run.
 *
 *   npm start                     (in another terminal)
 *   node bench/import.ts [rows] [rounds]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readApiConfig } from '../api/config.ts';
import { createLocalEngine, type LocalEngine } from '../data/lake/engine/local.ts';
import { createObjectStore } from '../data/objects/store.ts';
import {
  openReader,
  type ReaderDeps,
  type ReadOptions,
  type SourceFile,
} from '../packages/file-reader/index.ts';
import { readStack } from './workspace.ts';

const rows = Number(process.argv[2] ?? 10_000_000);
const rounds = Number(process.argv[3] ?? 3);
const memoryLimitBytes = 1_200_000_000;
const stack = readStack();
const { objectStore: settings, extensionDir } = readApiConfig({
  ...stack.environment,
  DATABASE_URL: stack.databaseUrl,
});
const keyPrefix = `import-bench/${process.pid}/`;
const url = (name: string): string => `s3://${settings.bucket}/${keyPrefix}${name}`;

const types = { id: 'INTEGER', name: 'STRING', amount: 'DECIMAL(18,2)', day: 'DATE', at: 'TIMESTAMP' };
const moreTypes = { active: 'BOOLEAN', region: 'STRING', quantity: 'INTEGER' };
const columnMappings = Object.entries({ ...types, ...moreTypes }).map(([name, dataType]) => ({
  sourceColumnName: name,
  targetColumnName: name,
  dataType,
  unique: false,
  nullable: true,
  required: true,
}));

async function main(): Promise<void> {
  const workDir = await mkdtemp(join(tmpdir(), 'import-bench-'));
  const engine = await createLocalEngine({
    extensionDir,
    objectStore: settings,
    workDir,
    memoryLimitBytes,
    threads: 2,
  });
  const objects = createObjectStore(settings);
  const deps: ReaderDeps = { engine, store: objects, workDir };
  try {
    await generate(engine);
    const key = `${keyPrefix}source.csv`;
    const sizeBytes = (await objects.head(key))?.sizeBytes ?? 0;
    console.log(
      `${rows} rows, ${Math.round(sizeBytes / 1e6)} MB of CSV, engine memory ${memoryLimitBytes / 1e6} MB`,
    );
    await compare(deps, { key, sizeBytes, format: 'csv' });
  } finally {
    await objects.removeAll(keyPrefix);
    objects.close();
    engine.close();
    await rm(workDir, { recursive: true, force: true });
  }
}

async function compare(deps: ReaderDeps, source: SourceFile): Promise<void> {
  const contenders: [string, () => Promise<void>][] = [
    ['bare engine', () => copy(deps.engine)],
    ['stage, types detected', () => importFile(deps, source, { includeLoadDate: true })],
    ['stage, types given', () => importFile(deps, source, { columnMappings, includeLoadDate: true })],
  ];
  const times = new Map<string, number[]>(contenders.map(([name]) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, work] of contenders) {
      const started = performance.now();
      await work();
      times.get(name)?.push(performance.now() - started);
    }
  }
  const median = (name: string): number =>
    (times.get(name) ?? []).sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
  const bare = median('bare engine');
  for (const [name] of contenders) {
    const elapsedMs = median(name);
    const speed = Math.round(rows / elapsedMs);
    console.log(
      `${name}: ${Math.round(elapsedMs)} ms, ${speed}k rows/s, ${(bare / elapsedMs).toFixed(2)} of bare`,
    );
  }
  console.log(`peak memory of the process: ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB`);
}

async function generate(engine: Pick<LocalEngine, 'scratch'>): Promise<void> {
  await engine.scratch((connection) =>
    connection.run(`COPY (SELECT i AS id, 'customer ' || (hash(i) % 100000) AS name,
      CAST((hash(i + 1) % 1000000) / 100.0 AS DECIMAL(18,2)) AS amount,
      DATE '2020-01-01' + CAST(hash(i + 2) % 1500 AS INTEGER) AS day,
      TIMESTAMP '2020-01-01' + to_seconds(hash(i + 3) % 100000000) AS "at", hash(i + 4) % 2 = 0 AS active,
      ['north', 'south', 'east', 'west'][1 + CAST(hash(i + 5) % 4 AS INTEGER)] AS region,
      hash(i + 6) % 1000 AS quantity FROM range(${rows}) AS t(i)) TO '${url('source.csv')}' (HEADER)`),
  );
}

async function copy(engine: Pick<LocalEngine, 'scratch'>): Promise<void> {
  await engine.scratch((connection) =>
    connection.run(
      `COPY (FROM read_csv('${url('source.csv')}')) TO '${url('bare.parquet')}' (FORMAT parquet)`,
    ),
  );
}

async function importFile(deps: ReaderDeps, source: SourceFile, options: ReadOptions): Promise<void> {
  const target = { prefixUrl: url('staged/'), quarantine: false };
  const { stage } = await openReader(deps);
  const staged = await stage(source, options, target, () => undefined, new AbortController().signal);
  if (staged.table.rows !== rows) throw new Error(`${staged.table.rows} rows arrived`);
}

await main();
