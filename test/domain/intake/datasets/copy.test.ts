import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { literal } from '../../../../data/lake/sql.ts';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { getDataConnection } from '../../../../domain/intake/data-connections/data-connections.ts';
import { createSourceCopier } from '../../../../domain/intake/datasets/copy/create.ts';
import { useSourceDatabase } from '../../../support/source-database.ts';
import { useOrganization, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
const client = useOrganization(workspace);
const source = useSourceDatabase();

test('rows are cut into files between rows, whatever is in them, and nothing stays on the disk', async () => {
  const { organizationId } = client;
  await source.run(
    'CREATE TABLE shop.cut (id int, text text)',
    // Newlines, quotes and commas in values, with lengths around those of buffers.
    `INSERT INTO shop.cut SELECT n, repeat(E'a "quoted",\\nline\\r\\n', n % 400) FROM generate_series(1, 5000) AS n`,
    `INSERT INTO shop.cut VALUES (5001, repeat('x', 3000000))`,
    // All characters that have a meaning in the format itself.
    String.raw`INSERT INTO shop.cut VALUES (5002, '\N'), (5003, '\\N'), (5004, E'\\n\n\\\\\t\\t\r\\'),
      (5005, E'\b\f\u000b'), (5006, '\\.'), (5007, ''), (5008, NULL), (5009, '\')`,
  );
  const id = (await source.connect(client)).split('/').at(-1)!;
  const connection = await inOrganization(workspace.deps.db, organizationId, (db) =>
    getDataConnection(db, organizationId, id),
  );
  const workDir = await mkdtemp(join(tmpdir(), 'copy-'));
  const copier = createSourceCopier({
    ...workspace.deps,
    workDir,
    maxBytes: 100_000_000,
    fileBytes: 1_500_000,
  });
  const prefixUrl = `s3://${process.env['S3_BUCKET']}/copies/${randomUUID()}/`;
  const { signal } = new AbortController();
  const copied = await copier.copy({ connection, resource: 'shop.cut', prefixUrl }, () => undefined, signal);
  expect(copied.rows).toBe(5_009);
  expect(copied.files.length).toBeGreaterThan(5);
  expect(await readdir(workDir)).toEqual([]);
  const urls = copied.files.map(({ url }) => literal(url)).join(', ');
  const read = await workspace.deps.staging.scratch(organizationId, (engine) =>
    engine.read(
      `SELECT count(*), sum(id), md5(string_agg(coalesce(md5(text), 'null'), ',' ORDER BY id)) FROM read_parquet([${urls}])`,
    ),
  );
  const { rows } = await source.admin.query({
    text: `SELECT count(*)::int, sum(id)::int, md5(string_agg(coalesce(md5(text), 'null'), ',' ORDER BY id)) FROM shop.cut`,
    rowMode: 'array',
  });
  expect(read.rows[0]!.map(String)).toEqual((rows[0] as unknown[]).map(String));
  const small = createSourceCopier({ ...workspace.deps, workDir, maxBytes: 2_000_000 });
  await expect(
    small.copy({ connection, resource: 'shop.cut', prefixUrl }, () => undefined, signal),
  ).rejects.toMatchObject({ stage: 'request', message: expect.stringContaining('0.00186 GiB') });
  expect(await readdir(workDir)).toEqual([]);
});

test('lines within values that look like rows are none, wherever the engine begins to read', async () => {
  const { organizationId } = client;
  await source.run(
    `CREATE TABLE shop.lines AS SELECT n::int AS id, repeat(E'1,x\\n2\\t"y"\\n', 60 + (n % 17)::int) AS text
     FROM generate_series(1, 100000) AS n`,
  );
  const id = (await source.connect(client)).split('/').at(-1)!;
  const connection = await inOrganization(workspace.deps.db, organizationId, (db) =>
    getDataConnection(db, organizationId, id),
  );
  const prefixUrl = `s3://${process.env['S3_BUCKET']}/copies/${randomUUID()}/`;
  const { signal } = new AbortController();
  const copied = await workspace.deps.copier.copy(
    { connection, resource: 'shop.lines', prefixUrl },
    () => undefined,
    signal,
  );
  // Larger than the engine's read buffer.
  expect(copied.bytes).toBeGreaterThan(70_000_000);
  const urls = copied.files.map(({ url }) => literal(url)).join(', ');
  const read = await workspace.deps.staging.scratch(organizationId, (engine) =>
    engine.read(`SELECT md5(string_agg(md5(text), ',' ORDER BY id)) FROM read_parquet([${urls}])`),
  );
  const { rows } = await source.admin.query(
    `SELECT md5(string_agg(md5(text), ',' ORDER BY id)) AS digest FROM shop.lines`,
  );
  expect(read.rows[0]![0]).toBe(rows[0]!.digest);
});

test('a row that is larger than the engine reads is told as such', async () => {
  await source.run('CREATE TABLE shop.huge (a text)', "INSERT INTO shop.huge VALUES (repeat('x', 17000000))");
  const id = (await source.connect(client)).split('/').at(-1)!;
  const connection = await inOrganization(workspace.deps.db, client.organizationId, (db) =>
    getDataConnection(db, client.organizationId, id),
  );
  const prefixUrl = `s3://${process.env['S3_BUCKET']}/copies/${randomUUID()}/`;
  const { signal } = new AbortController();
  await expect(
    workspace.deps.copier.copy({ connection, resource: 'shop.huge', prefixUrl }, () => undefined, signal),
  ).rejects.toThrow(/larger than 16 MiB/);
});

test('a source that never answers is given up before it takes an engine', async () => {
  const server = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const id = (await source.connect(client, { config: { ...source.config, port } })).split('/').at(-1)!;
  const connection = await inOrganization(workspace.deps.db, client.organizationId, (db) =>
    getDataConnection(db, client.organizationId, id),
  );
  let engines = 0;
  const staging: typeof workspace.deps.staging = {
    ...workspace.deps.staging,
    scratch: (...given) => {
      engines += 1;
      return workspace.deps.staging.scratch(...given);
    },
  };
  const limits = { loginTimeoutMs: 300, silenceMs: 500, firstSilenceMs: 500 };
  const workDir = await mkdtemp(join(tmpdir(), 'copy-'));
  const copier = createSourceCopier({ ...workspace.deps, staging, workDir, limits, maxBytes: 100_000_000 });
  const prefixUrl = `s3://${process.env['S3_BUCKET']}/copies/${randomUUID()}/`;
  const { signal } = new AbortController();
  await expect(
    copier.copy({ connection, resource: 'shop.any', prefixUrl }, () => undefined, signal),
  ).rejects.toMatchObject({ stage: 'connect', message: expect.stringContaining('within 0.3 s') });
  expect(engines).toBe(0);
  server.close();
  // A source that accepts the connection, and then hangs.
  await source.run(
    'CREATE VIEW shop.hangs AS SELECT n, pg_sleep(60)::text AS s FROM generate_series(1, 3) AS n',
  );
  const hanging = (await source.connect(client)).split('/').at(-1)!;
  const other = await inOrganization(workspace.deps.db, client.organizationId, (db) =>
    getDataConnection(db, client.organizationId, hanging),
  );
  await expect(
    copier.copy({ connection: other, resource: 'shop.hangs', prefixUrl }, () => undefined, signal),
  ).rejects.toMatchObject({ stage: 'connect', message: expect.stringContaining('nothing for 0.5 s') });
  expect(engines).toBe(1);
  expect(await readdir(workDir)).toEqual([]);
});
