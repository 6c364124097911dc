/**
 * Ten million rows of numbers by Arrow streams of a million each, as a client reads them, and by the bare engine's
 * COPY to Parquet files of a million each, alternating.
 *
 *   npm start                     (in another terminal)
 *   node bench/arrow-stream.ts
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { openApi, quantile, readStack } from './workspace.ts';

const stack = readStack();
const api = await openApi(stack);
const folder = await mkdtemp(join(tmpdir(), 'arrow-stream-'));
const instance = await DuckDBInstance.create(':memory:', {
  threads: stack.environment['QUERY_THREADS'] ?? '2',
});
const engine = await instance.connect();

const part = (from: number): string =>
  `SELECT range AS n, range * 0.5 AS half, range % 97 AS key, hash(range) AS hash FROM range(${from}, ${from + 1_000_000})`;

/** Reads an answer as a client in C would: Node's own streams of the web take as long as the service. */
function stream(sql: string): Promise<number> {
  const headers = {
    authorization: api.authorization,
    'content-type': 'application/json',
    accept: 'application/vnd.apache.arrow.stream',
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${stack.apiUrl}/v1/query-executions`, { method: 'POST', headers }, (answer) => {
      let bytes = 0;
      answer.on('data', (data: Buffer) => {
        bytes += data.length;
      });
      answer.on('error', reject);
      answer.on('end', () =>
        answer.statusCode === 200 ? resolve(bytes) : reject(new Error(`It answered ${answer.statusCode}.`)),
      );
    });
    sent.on('error', reject);
    sent.end(JSON.stringify({ sql, limit: 1_000_000 }));
  });
}

// Starts the query process.
await stream(part(0));
const ratios: number[] = [];
let bytes = 0;
for (let at = 0; at < 10; at += 1) {
  const sql = part(at * 1_000_000);
  const began = performance.now();
  bytes += await stream(sql);
  const streamedMs = performance.now() - began;
  await engine.run(`COPY (${sql}) TO '${folder}/${at}.parquet' (FORMAT parquet)`);
  const copiedMs = performance.now() - began - streamedMs;
  ratios.push(copiedMs / streamedMs);
  console.log(`${streamedMs.toFixed(0)} ms by stream, ${copiedMs.toFixed(0)} by COPY`);
}
console.log(`${bytes} bytes; of the speed of COPY: ${quantile(ratios, 0.5).toFixed(2)} at p50`);
await rm(folder, { recursive: true });
process.exit(0);
