import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nameOf, sealedColumns } from '../../../../domain/workspace/keys/sealed-columns.ts';
import { createTestDatabase } from '../../../support/workspace.ts';

/** Columns of bytes that the cipher has not sealed; a name that ends in `_hash` needs no entry. */
const unsealed = ['known_sign_ins.key', 'rate_buckets.key', 'sign_in_attempts.key'];

const closers: (() => Promise<unknown> | unknown)[] = [];
let client: pg.Client;

beforeAll(async () => {
  client = new pg.Client({ connectionString: await createTestDatabase(closers) });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  for (const close of closers) await close();
});

test('every column of bytes is a sealed one, or known not to be: a new one is put on one of the lists', async () => {
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.relname || '.' || a.attname AS name FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT a.attisdropped
       AND a.atttypid IN ('bytea'::regtype, 'bytea[]'::regtype)`,
  );
  const found = rows.map(({ name }) => name).filter((name) => !name.endsWith('_hash'));
  expect(found.sort()).toEqual([...sealedColumns.map(nameOf), ...unsealed].sort());
});

test.each(sealedColumns)('a value of $table.$column is found by the primary key', async ({ table, key }) => {
  const { rows } = await client.query<{ columns: string[] }>(
    `SELECT array_agg(a.attname::text ORDER BY k.place) AS columns
     FROM pg_index i, unnest(i.indkey) WITH ORDINALITY AS k (attribute, place), pg_attribute a
     WHERE i.indrelid = $1::regclass AND i.indisprimary AND a.attrelid = i.indrelid AND a.attnum = k.attribute`,
    [table],
  );
  expect(rows[0]!.columns).toEqual(['organization_id', ...key]);
});
