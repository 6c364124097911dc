import { DuckDBInstance } from '@duckdb/node-api';
import { beforeAll, expect, it } from 'vitest';
import { allowedFunctions, allowedTableFunctions } from '../../../../packages/sql-guard/index.ts';
import { testExtensionDir } from './lab.ts';

/**
 * Names that the parser turns into operators, keywords or other functions; the catalog does not list them.
 */
const madeByTheParser = new Set([
  ...['!~~~', '#', '->', 'overlay', 'percentile_cont', 'percentile_disc', 'unnest', 'current_date', 'row'],
]);

let known: Set<string>;

beforeAll(async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  for (const name of ['ducklake', 'postgres_scanner', 'httpfs', 'icu', 'json']) {
    await connection.run(`LOAD '${testExtensionDir}/${name}.duckdb_extension'`);
  }
  const reader = await connection.runAndReadAll(
    'SELECT DISTINCT lower(function_name) FROM duckdb_functions()',
  );
  known = new Set(reader.getRows().map((row) => String(row[0])));
});

it('allows no function that this engine does not have', () => {
  const missing = [...allowedFunctions, ...allowedTableFunctions].filter((name) => !known.has(name));
  expect(missing.filter((name) => !madeByTheParser.has(name))).toEqual([]);
});

it('allows nothing that sounds like reading files, settings, secrets, catalogs or running SQL', () => {
  const suspicious =
    /^(read_|pg_|duckdb_|ducklake_|postgres_|pragma_|parquet_|sniff|glob|query|which|enable_|disable_|json_(serialize|deserialize|execute)|current_(setting|query|schema|database|user|role)|has_|inet_|st_|icu_|write_|getenv|getvariable|nextval|currval|__internal|sql_|arrow_|seq_scan|copy|load|attach|sleep|checkpoint)/;
  const allowed = [...allowedFunctions, ...allowedTableFunctions];
  expect(allowed.filter((name) => suspicious.test(name) && name !== 'pg_typeof')).toEqual([]);
});

it('has looked at every function of this engine version', async () => {
  const refused = [...known].filter(
    (name) => !allowedFunctions.has(name) && !allowedTableFunctions.has(name),
  );
  await expect(`${refused.sort().join('\n')}\n`).toMatchFileSnapshot('./refused-functions.txt');
});
