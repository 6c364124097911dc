import { expect, test } from 'vitest';
import { nested, type Term, useOtherLake } from '../../../support/other-lake.ts';
import { rowsOf } from '../../../support/snapshots.ts';
import { useWorker } from '../../../support/worker.ts';
import { useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);
const lake = useOtherLake();

function shown(column: string, type: string): Term {
  if (type === 'BLOB') return `to_base64(${column})`;
  if (/[[(]/.test(type) && !type.startsWith('DECIMAL')) return nested(column);
  if (/^TIMESTAMP_M?S$/.test(type)) return `CAST(${column} AS TIMESTAMP)`;
  return type === 'FLOAT' ? `CAST(${column} AS DOUBLE)` : column;
}

test('rows that the catalog of another lake holds itself keep their values, of whatever type', async () => {
  const client = await workspace.organization();
  const types: Record<string, string[]> = {
    BOOLEAN: ['true', 'false'],
    TINYINT: ['-128', '127'],
    SMALLINT: ['-32768'],
    INTEGER: ['-2147483648'],
    BIGINT: ['-9223372036854775808'],
    UTINYINT: ['255'],
    USMALLINT: ['65535'],
    UINTEGER: ['4294967295'],
    UBIGINT: ['18446744073709551615'],
    HUGEINT: ['99999999999999999999999999999999999999'],
    FLOAT: ['1.1', "'nan'", "'infinity'"],
    DOUBLE: ['0.1', '1e308', "'-infinity'", '5e-324'],
    'DECIMAL(38, 10)': ['1234567890123456789012345678.0123456789'],
    VARCHAR: ["''", "'null'", "e'\\\\N\\t\\n\\r\\\\'", "'é€😀'", "chr(0) || 'x'"],
    BLOB: ["''", "'\\x00\\xFF'"],
    UUID: ["'ffffffff-ffff-ffff-ffff-ffffffffffff'"],
    DATE: ["'infinity'", "'0044-03-15 (BC)'", "'9999-12-31'"],
    TIME: ["'23:59:59.999999'"],
    TIMETZ: ["'23:59:59+05:30'"],
    TIMESTAMP: ["'-infinity'", "'0044-03-15 (BC) 10:00:00'", "'2026-01-01 00:00:00.000001'"],
    TIMESTAMPTZ: ["'infinity'", "'2026-01-01 00:00:00.000001+02'"],
    TIMESTAMP_S: ["'2026-01-01 00:00:01'"],
    TIMESTAMP_MS: ["'2026-01-01 00:00:01.001'"],
    INTERVAL: ["'-1 month 3 days -00:00:00.000001'", "'0 days'"],
    JSON: [`'{"a": 1.0, "b": [null, "x"]}'`, "'null'"],
    'VARCHAR[]': ['[]', "['a, b', NULL, '', 'it''s \"x\"', '[NULL]']"],
    'STRUCT("the key" VARCHAR, l DOUBLE[])': ["{'the key': ', }', l: [1.5, NULL]}"],
    'MAP(INTEGER, STRUCT(b VARCHAR)[])': ["MAP {1: [{b: '='}], 2: NULL}"],
    'BLOB[]': ["['\\x01a'::BLOB]"],
  };
  const columns = Object.entries(types).map(([type, values], index) => ({
    type,
    values,
    name: `c${index}`,
  }));
  await lake.run(
    `CREATE TABLE lake.main.types (file_id VARCHAR, ${columns.map((one) => `${one.name} ${one.type}`).join(', ')})`,
  );
  for (let id = 0; id < 6; id += 1) {
    const row = columns.map(({ values, type }) => `CAST(${values[id] ?? 'NULL'} AS ${type})`);
    await lake.run(`INSERT INTO lake.main.types SELECT 'row ${id}', ${row.join(', ')}`);
  }
  const { run, table } = await lake.copied(client, 'main.types');
  expect(run, JSON.stringify(run.error)).toMatchObject({ status: 'succeeded', rowsCopied: 6 });
  const terms = columns.map(({ name, type }): [string, Term] => [name, shown(name, type)]);
  const { theirs, ours } = await lake.both(client, 'types', table, {
    id: 'file_id',
    ...Object.fromEntries(terms),
  });
  expect(ours).toEqual(theirs);
});

test('large rows of a catalog come whole, whatever an interrupted copy left in the engine', async () => {
  const client = await workspace.organization();
  await lake.run(
    'CREATE TABLE lake.main.large AS SELECT i, repeat(chr((65 + i)::INTEGER), 1000000) AS t FROM range(20) r(i) WHERE i < 0',
  );
  await lake.run(
    'INSERT INTO lake.main.large SELECT i, repeat(chr((65 + i)::INTEGER), 1000000) FROM range(20) r(i)',
  );
  expect(await lake.inCatalog('SELECT path FROM ducklake_data_file')).toEqual([]);
  await workspace.deps.staging.scratch(client.organizationId, (engine) =>
    engine.run(
      "ATTACH 'ducklake::memory:' AS copied_lake (METADATA_CATALOG 'copied_lake_catalog', DATA_PATH '/nowhere/')",
    ),
  );
  const { run, table } = await lake.copied(client, 'main.large');
  expect(run, JSON.stringify(run.error)).toMatchObject({ status: 'succeeded', rowsCopied: 20 });
  expect(
    await rowsOf(
      client,
      `SELECT count(*) AS n FROM ${table} WHERE t = repeat(chr(CAST(65 + i AS INTEGER)), 1000000)`,
    ),
  ).toEqual([{ n: 20 }]);
});
