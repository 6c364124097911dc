import { describe, expect, test } from 'vitest';
import { nested, useOtherLake } from '../../../support/other-lake.ts';
import { rowsOf, snapshotOf } from '../../../support/snapshots.ts';
import { useWorker } from '../../../support/worker.ts';
import { useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);
const lake = useOtherLake();

describe('a table of another lake', () => {
  test('is copied as that lake reads it, whatever was done to it', async () => {
    const client = await workspace.organization();
    const { run } = lake;
    await run(`CREATE TABLE lake.main.things (
      id BIGINT NOT NULL, gone VARCHAR, name VARCHAR, d DECIMAL(30, 5), tz TIMESTAMPTZ, j JSON, l INTEGER[],
      s STRUCT(a INTEGER, b VARCHAR), u UUID, b BLOB, m MAP(VARCHAR, INTEGER), f DOUBLE, day DATE, t TIME, ts TIMESTAMP,
      fine TIMESTAMP_NS, coarse TIMESTAMP_NS, big UBIGINT, i INTERVAL, "Odd ""name" BOOLEAN, sl STRUCT(x INTEGER)[],
      unitPrice DECIMAL(12, 2))`);
    const values = (id: string) => `SELECT ${id}, 'gone', 'n' || ${id} || e'\\t\\\\ \\n"é', ${id} / 8,
      TIMESTAMPTZ '2026-01-01 00:00:00+02' + INTERVAL (${id}) SECOND, '{"a": [1, "x"]}', [1, NULL, ${id}],
      {a: ${id}, b: 'it''s, "x"'}, ('00000000-0000-0000-0000-' || lpad(CAST(${id} AS VARCHAR), 12, '0'))::UUID,
      '\\xAA\\x00b'::BLOB, MAP {'k': ${id}}, CASE WHEN ${id} % 2 = 0 THEN 'nan' ELSE '-infinity' END::DOUBLE,
      DATE '2026-01-02', TIME '10:00:01.5', TIMESTAMP '0001-01-01 10:00:00.123456',
      TIMESTAMP_NS '2026-01-01 10:00:00.123456789', TIMESTAMP_NS '2026-01-01 10:00:00.123456000',
      18446744073709551615, INTERVAL '1 year 2 months 3 days 04:05:06.7', ${id} % 2 = 0, [{x: ${id}}], ${id} / 4`;
    await run(`INSERT INTO lake.main.things ${values('r.i')} FROM range(1000) r(i)`);
    await run(`INSERT INTO lake.main.things ${values('r.i')} FROM range(1000, 1500) r(i)`);
    await run(`INSERT INTO lake.main.things ${values('r.i')} FROM range(2000, 2010) r(i)`);
    await run(`INSERT INTO lake.main.things (id, name) VALUES (2100, ''), (2101, NULL)`);
    await run(`DELETE FROM lake.main.things WHERE id BETWEEN 100 AND ${100 + 200}`);
    await run('DELETE FROM lake.main.things WHERE id IN (5, 1004, 2003)');
    await run('UPDATE lake.main.things SET f = 1.5 WHERE id BETWEEN 600 AND 900');
    await run('ALTER TABLE lake.main.things ADD COLUMN extra DECIMAL(10, 2) DEFAULT 42.5');
    await run("ALTER TABLE lake.main.things ADD COLUMN said VARCHAR DEFAULT 'it''s'");
    await run('ALTER TABLE lake.main.things RENAME name TO title');
    await run('ALTER TABLE lake.main.things DROP COLUMN gone');
    await run('ALTER TABLE lake.main.things ADD COLUMN gone INTEGER');
    await run('ALTER TABLE lake.main.things ADD COLUMN s.c INTEGER');
    await run('ALTER TABLE lake.main.things RENAME TO stuff');
    await run(
      "INSERT INTO lake.main.stuff (id, title, extra) VALUES (3000, 'x', 7), (3001, 'y', NULL), (3002, 'z', 1)",
    );
    await run('DELETE FROM lake.main.stuff WHERE id IN (3002, 7, 2004)');
    await run("UPDATE lake.main.stuff SET title = 'changed' WHERE id IN (3000, 20, 2005)");
    await run(
      `INSERT INTO lake.main.stuff (id, gone, s) SELECT i, i, {a: 1, b: 'b', c: 3} FROM range(4000, 4200) r(i)`,
    );
    const [kept] = await lake.inCatalog(
      `SELECT (SELECT count(*)::int FROM ducklake_data_file WHERE end_snapshot IS NULL) AS files,
         (SELECT count(*)::int FROM ducklake_delete_file WHERE end_snapshot IS NULL) AS deletions,
         (SELECT count(*)::int FROM ducklake_inlined_delete_1) AS inlined_deletions,
         (SELECT count(*)::int FROM ducklake_inlined_data_1_1 WHERE end_snapshot IS NULL) AS inlined_rows`,
    );
    // Includes rows inlined for the table's first schema.
    expect(kept).toEqual({ files: 4, deletions: 1, inlined_deletions: 4, inlined_rows: 9 });

    const { run: copy, table, dataset } = await lake.copied(client, 'main.stuff');
    expect(copy, JSON.stringify(copy.error)).toMatchObject({ status: 'succeeded' });
    const { theirs, ours } = await lake.both(client, 'stuff', table, {
      id: 'id',
      title: 'title',
      d: 'd',
      tz: ['epoch_us(tz)', 'epoch_us(tz)'],
      j: 'j',
      l: nested('l'),
      s: nested('s'),
      u: 'u',
      b: ['to_base64(b)', 'to_base64(b)'],
      m: nested('m'),
      f: 'f',
      day: 'day',
      t: 't',
      ts: 'ts',
      fine: 'fine',
      coarse: 'CAST(coarse AS TIMESTAMP)',
      big: 'big',
      i: 'i',
      odd: '"Odd ""name"',
      sl: nested('sl'),
      extra: 'extra',
      said: 'said',
      gone: 'gone',
      unitPrice: 'unitPrice',
    });
    expect(ours).toEqual(theirs);
    expect(copy.rowsCopied).toBe(theirs.length);
    const types = await rowsOf(
      client,
      `SELECT typeof(id) AS id, typeof(d) AS d, typeof(tz) AS tz, typeof(j) AS j, typeof(s) AS s, typeof(b) AS b,
         typeof(fine) AS fine, typeof(coarse) AS coarse, typeof(big) AS big, typeof(extra) AS extra FROM ${table} LIMIT 1`,
    );
    expect(types).toEqual([
      {
        ...{
          id: 'BIGINT',
          d: 'DECIMAL(30,5)',
          tz: 'TIMESTAMP WITH TIME ZONE',
          j: 'JSON',
          s: 'JSON',
          b: 'BLOB',
        },
        ...{ fine: 'VARCHAR', coarse: 'TIMESTAMP', big: 'DECIMAL(20,0)', extra: 'DECIMAL(10,2)' },
      },
    ]);

    await run(`DELETE FROM lake.main.stuff WHERE id < 4000`);
    const again = await snapshotOf(client, dataset);
    expect(again, JSON.stringify(again.error)).toMatchObject({ status: 'succeeded', rowsCopied: 200 });
  });

  test('may be of merged files, of added ones, in folders of its own, or empty', async () => {
    const client = await workspace.organization();
    const { run } = lake;
    await run('CREATE SCHEMA lake."Odd schema"');
    await run('CREATE TABLE lake."Odd schema"."a.b" (a INTEGER, b VARCHAR)');
    await run('ALTER TABLE lake."Odd schema"."a.b" SET PARTITIONED BY (b)');
    for (const part of [0, 1, 2])
      await run(`INSERT INTO lake."Odd schema"."a.b" SELECT i + ${part * 1_000}, 'x y' FROM range(200) r(i)`);
    await run(`CALL ducklake_merge_adjacent_files('lake')`);
    const [merged] = await lake.inCatalog(
      'SELECT count(partial_max)::int AS parts FROM ducklake_data_file WHERE end_snapshot IS NULL',
    );
    expect(merged.parts).toBeGreaterThan(0);
    await run('DELETE FROM lake."Odd schema"."a.b" WHERE a % 2 = 0');
    await run(`CREATE TABLE lake.main.added (a INTEGER, "B" VARCHAR DEFAULT 'd')`);
    const folder = lake.location.dataPath;
    await run(
      `COPY (SELECT 'x' AS b, i::INTEGER AS a FROM range(3) r(i)) TO '${folder}by hand.parquet' (FORMAT parquet)`,
    );
    await run(`COPY (SELECT 7::INTEGER AS a) TO '${folder}less.parquet' (FORMAT parquet)`);
    await run(`CALL ducklake_add_data_files('lake', 'added', '${folder}by hand.parquet')`);
    await run(
      `CALL ducklake_add_data_files('lake', 'added', '${folder}less.parquet', allow_missing => true)`,
    );
    await run('CREATE TABLE lake.main.empty (a INTEGER, b JSON)');
    await run('CREATE TABLE lake.main.vectors AS SELECT i AS a FROM range(1000) r(i)');
    await run("CALL lake.set_option('write_deletion_vectors', true, table_name => 'vectors')");
    await run('DELETE FROM lake.main.vectors WHERE a >= 300');
    const [last] = await lake.inCatalog(
      'SELECT format FROM ducklake_delete_file ORDER BY delete_file_id DESC LIMIT 1',
    );
    expect(last.format).toBe('puffin');
    const vectors = await lake.copied(client, 'main.vectors');
    expect(vectors.run, JSON.stringify(vectors.run.error)).toMatchObject({
      ...{ status: 'succeeded', rowsCopied: 300 },
    });
    const odd = await lake.copied(client, '"Odd schema"."a.b"');
    expect(odd.run, JSON.stringify(odd.run.error)).toMatchObject({ status: 'succeeded', rowsCopied: 300 });
    expect(await rowsOf(client, `SELECT count(*) AS n, sum(a) AS s, min(b) AS b FROM ${odd.table}`)).toEqual([
      { n: 300, s: 330000, b: 'x y' },
    ]);
    const added = await lake.copied(client, 'main.added');
    expect(added.run, JSON.stringify(added.run.error)).toMatchObject({ status: 'succeeded', rowsCopied: 4 });
    const terms = { a: 'a', b: '"B"' };
    const { theirs, ours } = await lake.both(client, 'added', added.table, terms);
    expect(ours).toEqual(theirs);
    const empty = await lake.copied(client, 'main.empty');
    expect(empty.run, JSON.stringify(empty.run.error)).toMatchObject({ status: 'succeeded', rowsCopied: 0 });
  });
});

test('fails by what the other lake, its store or its keys are the reason of', async () => {
  const client = await workspace.organization();
  const { run, inCatalog, failureOf } = lake;
  await run('CREATE TABLE lake.main.lost AS SELECT i FROM range(200) r(i)');
  expect(await failureOf(client, 'main.none')).toEqual({
    ...{ code: 'source_failed', stage: 'request' },
    message: 'The lake has no table main.none.',
  });
  const wrongSecret = await failureOf(client, 'main.lost', {
    secrets: { secret_access_key: 'a-secret-that-is-wrong' },
  });
  expect(['login', 'permission']).toContain(wrongSecret.stage);
  const wrongPassword = await failureOf(client, 'main.lost', { secrets: { password: 'a-secret-password' } });
  expect(wrongPassword.stage).toBe('login');
  expect(wrongPassword.message).not.toContain('a-secret-password');
  expect(await failureOf(client, 'main.lost', { config: { metadata_schema: 'elsewhere' } })).toMatchObject({
    stage: 'request',
    message: 'The metadata schema elsewhere contains no DuckLake.',
  });
  const [{ path }] = await inCatalog(
    'SELECT path FROM ducklake_data_file ORDER BY data_file_id DESC LIMIT 1',
  );
  const key = `${keyOf(lake.location.dataPath)}main/lost/${path}`;
  const { objects } = workspace.deps;
  const { sizeBytes } = (await objects.head(key))!;
  await objects.put(key, Buffer.alloc(sizeBytes, 'x'), 'text/plain');
  expect(await failureOf(client, 'main.lost')).toEqual({
    ...{ code: 'source_failed', stage: 'request' },
    message: expect.stringMatching(`^main\\.lost couldn't be read: .*${key}`),
  });
  await objects.put(key, Buffer.alloc(sizeBytes - 1, 'x'), 'text/plain');
  expect((await failureOf(client, 'main.lost')).message).toBe(
    `The size of ${key} isn't the ${sizeBytes} bytes in the lake's catalog.`,
  );
  await objects.remove(key);
  expect(await failureOf(client, 'main.lost')).toEqual({
    ...{ code: 'source_failed', stage: 'request' },
    message: `The lake's catalog lists the file ${key}, but the file doesn't exist.`,
  });
});

test('a catalog that says what cannot be read is refused', async () => {
  const client = await workspace.organization();
  const { run, inCatalog, failureOf } = lake;
  await run('CREATE TABLE lake.main.refused AS SELECT i FROM range(200) r(i)');
  const refusals = {
    [`ducklake_metadata SET value = '9.9' WHERE key = 'version'`]:
      /format 9\.9\. The service can only read 1\.0/,
    [`ducklake_metadata SET value = 'true' WHERE key = 'encrypted'`]: /lake is encrypted/,
    [`ducklake_data_file SET encryption_key = 'a-secret-key'`]: /\.parquet is encrypted/,
    [`ducklake_data_file SET path = 's3://other/x.parquet', path_is_relative = false`]:
      /s3:\/\/other\/x\.parquet isn't in the lake's bucket/,
    [`ducklake_data_file SET file_size_bytes = 200000000000000`]: /is larger than/,
    [`ducklake_data_file SET file_size_bytes = -1`]: /has no size in the lake's catalog/,
    [`ducklake_column SET column_type = 'what'`]: /main\.refused couldn't be read/,
  };
  for (const [change, message] of Object.entries(refusals)) {
    const [table] = change.split(' ');
    await inCatalog(`CREATE TABLE kept AS TABLE ${table}`);
    await inCatalog(`UPDATE ${change}`);
    const failure = await failureOf(client, 'main.refused');
    expect(failure, change).toMatchObject({ stage: 'request', message: expect.stringMatching(message) });
    expect(failure.message).not.toContain('a-secret');
    await inCatalog(`TRUNCATE ${table}; INSERT INTO ${table} TABLE kept; DROP TABLE kept`);
  }
  await inCatalog('DROP TABLE ducklake_delete_file');
  expect((await failureOf(client, 'main.refused')).stage).toBe('request');
});

function keyOf(url: string): string {
  return url.split('/').slice(3).join('/');
}
