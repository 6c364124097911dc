// Sends records exactly once: after a crash at any point, run it again with the same arguments.
//
//   node docs/examples/ingest.mjs BATCH_NAME FILE.ndjson
//
// While `npm start` runs. Creates the table `readings` (device, value, at) if it does not exist.
import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';

const [batchName, file] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: node docs/examples/ingest.mjs BATCH_NAME FILE.ndjson');
const folder = process.env.WORKSPACE_DATA_DIR || '.data';
const { apiUrl, clientId, clientSecret } = JSON.parse(readFileSync(`${folder}/local.json`, 'utf8'));
const recordsPerPage = 5_000;

/** Repeats a request until it is answered: every request below is idempotent. */
async function call(method, path, body) {
  for (let waitMs = 200; ; waitMs = Math.min(waitMs * 2, 10_000)) {
    const answer = await fetch(`${apiUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body,
    }).catch(() => undefined);
    if (answer !== undefined && answer.status < 500 && answer.status !== 429) {
      const json = await answer.json();
      if (answer.ok) return json;
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(json)}`);
    }
    await setTimeout(waitMs);
  }
}

const form = new URLSearchParams({ client_id: clientId, client_secret: clientSecret });
const granted = await fetch(`${apiUrl}/v1/auth/m2m/token`, { method: 'POST', body: form });
const answer = await granted.json();
if (!granted.ok) throw new Error(`No token: ${granted.status} ${JSON.stringify(answer)}`);
const { access_token: token } = answer;

async function findOrMakeTable() {
  const { tables } = await call('GET', '/v1/tables');
  const known = tables.find(({ name }) => name === 'readings');
  if (known !== undefined) return known.id;
  const columns = [
    { name: 'device', data_type: 'STRING' },
    { name: 'value', data_type: 'DOUBLE' },
    { name: 'at', data_type: 'TIMESTAMP' },
  ];
  const body = JSON.stringify({ name: 'readings', kind: 'data', columns });
  return (await call('POST', '/v1/grid/tables', body)).data.tableId;
}

const batches = `/v1/tables/${await findOrMakeTable()}/ingestion-batches`;
// 1. The same name returns the same batch, whatever its status.
const opening = JSON.stringify({ mode: 'append', client_batch_id: batchName });
let batch = (await call('POST', batches, opening)).data;
const url = `${batches}/${batch.id}`;

// 2. The same lines give the same pages: those staged before are answered with `replayed`.
let pages = 0;
let lines = [];
async function send() {
  pages += 1;
  // The lines are sent verbatim: no number is converted to a double.
  const { data } = await call('PUT', `${url}/pages/${pages}`, `{"records":[${lines.join(',')}]}`);
  console.log(`page ${data.pageNumber}${data.replayed ? ' (was there)' : ''}`);
  lines = [];
}
if (['open', 'completing', 'applying', 'applied'].includes(batch.status)) {
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (line.trim() !== '') lines.push(line);
    if (lines.length === recordsPerPage) await send();
  }
  if (lines.length > 0 || pages === 0) await send();
  // 3. The same manifest is accepted again.
  await call('POST', `${url}/complete`, JSON.stringify({ page_count: pages }));
}

// 4. Poll until the batch has ended.
for (;;) {
  batch = (await call('GET', url)).data;
  if (['applied', 'failed', 'aborted', 'expired'].includes(batch.status)) break;
  await setTimeout(100);
}
console.log(JSON.stringify(batch));
process.exitCode = batch.status === 'applied' ? 0 : 1;
