// Two sources for the replication example: a database on the stack's own server, and an HTTP API in this
// process. Writes their addresses to the given file, and serves until it is stopped. A POST adds or changes a
// record.
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import pg from 'pg';

const [databaseUrl, portFile] = process.argv.slice(2);

async function query(address, ...statements) {
  const client = new pg.Client({ connectionString: address.href });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

const address = new URL(databaseUrl);
const name = `example_${process.pid}`;
await query(address, `CREATE DATABASE ${name}`);
address.pathname = `/${name}`;
await query(
  address,
  'CREATE SCHEMA shop',
  'CREATE TABLE shop.orders (id bigint PRIMARY KEY, city text, amount numeric(12,2), at timestamptz NOT NULL)',
  `INSERT INTO shop.orders SELECT n, (ARRAY['Lagos', 'Osaka', 'Quito'])[1 + n % 3], n * 1.25, now() - n * interval '1 minute'
   FROM generate_series(1, 3000) AS n`,
);

const contacts = new Map(
  Array.from({ length: 250 }, (_, index) => [
    index + 1,
    {
      id: index + 1,
      name: `Contact ${index + 1}`,
      updated_at: new Date(1.77e12 + index * 1000).toISOString(),
    },
  ]),
);
const server = createServer((request, response) => {
  const url = new URL(request.url, 'http://source');
  if (request.method === 'POST') {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const record = { ...JSON.parse(text), updated_at: new Date().toISOString() };
      contacts.set(record.id, record);
      response.end();
    });
    return;
  }
  const skip = Number(url.searchParams.get('skip') ?? 0);
  const since = url.searchParams.get('updated_since') ?? '';
  const found = [...contacts.values()].filter((one) => one.updated_at >= since);
  const next = new URLSearchParams(
    [...url.searchParams, ['skip', skip + 100]].filter(
      ([key, value]) => key !== 'skip' || value === skip + 100,
    ),
  );
  const link = skip + 100 < found.length ? `?${next}` : null;
  response.end(JSON.stringify({ items: found.slice(skip, skip + 100), next: link }));
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address();
  writeFileSync(
    portFile,
    JSON.stringify({
      http: port,
      port: Number(address.port),
      database: name,
      user: decodeURIComponent(address.username),
      password: decodeURIComponent(address.password),
    }),
  );
});
