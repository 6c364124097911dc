import { createGzip } from 'node:zlib';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { identifier, literal } from '../../data/lake/sql.ts';
import { writeFile } from './write-file.ts';

/** What of the public schema belongs to the place, not to the data. */
export const ofThePlace = ['schema_migrations', 'backup_holds', 'automation_pause', 'reconcile_tries'];
export const publicSchema = 'public';

interface Table {
  name: string;
  columns: string[];
  definition: string;
}

/**
 * Writes the rows of a schema to a file, in the order and with the syntax that `psql` reads. That of a lake
 * creates its tables too; those of the public schema come from migrations.
 *
 * @param client in the transaction whose snapshot is copied
 * @returns size and SHA-256 of the file
 */
export async function copySchema(
  client: pg.Client,
  schema: string,
  path: string,
): Promise<{ sizeBytes: number; sha256: string }> {
  return writeFile(textOf(client, schema), path, createGzip({ level: 5 }));
}

async function* textOf(client: pg.Client, schema: string): AsyncGenerator<string | Buffer> {
  const isLake = schema !== publicSchema;
  const tables = (await tablesOf(client, schema)).filter(({ name }) => isLake || !ofThePlace.includes(name));
  if (isLake) for (const { definition } of tables) yield `${definition}\n`;
  for (const { name, columns } of tables) {
    const place = `${identifier(schema)}.${identifier(name)} (${columns.map(onOneLine).join(', ')})`;
    yield `COPY ${place} FROM stdin;\n`;
    yield* client.query(copyTo(`COPY ${place} TO STDOUT`)) as AsyncIterable<Buffer>;
    yield '\\.\n';
  }
  for (const { name, value, isCalled } of await sequencesOf(client, schema)) {
    const sequence = literal(`${identifier(schema)}.${identifier(name)}`);
    yield `SELECT pg_catalog.setval(${sequence}, ${value}, ${isCalled});\n`;
  }
}

/**
 * Quotes a name without a line break: statements of the file end where their line ends, and columns of rows
 * in a catalog have the names that people gave them.
 */
function onOneLine(name: string): string {
  if (!/[\r\n]/.test(name)) return identifier(name);
  const escaped = name.replaceAll('\\', '\\\\').replaceAll('\n', '\\000a').replaceAll('\r', '\\000d');
  return `U&${identifier(escaped)}`;
}

/** Columns whose values are calculated are not copied. */
async function tablesOf(client: pg.Client, schema: string): Promise<Table[]> {
  const { rows } = await client.query<{
    name: string;
    columns: string[];
    names: string[];
    types: string[];
    rules: string[] | null;
  }>(
    `SELECT c.relname AS name,
       array_agg(a.attname::text ORDER BY a.attnum) FILTER (WHERE a.attgenerated = '') AS columns,
       array_agg(a.attname::text ORDER BY a.attnum) AS names,
       array_agg(format_type(a.atttypid, a.atttypmod)
         || CASE WHEN d.adbin IS NULL THEN '' ELSE ' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid) END
         || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END ORDER BY a.attnum) AS types,
       (SELECT array_agg(format('CONSTRAINT %I %s', k.conname, pg_get_constraintdef(k.oid)) ORDER BY k.conname)
        FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype IN ('p', 'u', 'c')) AS rules
     FROM pg_class c
     JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
     WHERE c.relnamespace = $1::regnamespace AND c.relkind = 'r'
     GROUP BY c.oid, c.relname ORDER BY c.relname`,
    [identifier(schema)],
  );
  return rows.map(({ name, columns, names, types, rules }) => {
    const parts = [...names.map((column, index) => `${onOneLine(column)} ${types[index]}`), ...(rules ?? [])];
    const definition = `CREATE TABLE ${identifier(schema)}.${identifier(name)} (${parts.join(', ')});`;
    return { name, columns, definition };
  });
}

async function sequencesOf(
  client: pg.Client,
  schema: string,
): Promise<{ name: string; value: string; isCalled: boolean }[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'S' ORDER BY relname`,
    [identifier(schema)],
  );
  const found = [];
  for (const { name } of rows) {
    const { rows: states } = await client.query<{ value: string; called: boolean }>(
      `SELECT last_value::text AS value, is_called AS called FROM ${identifier(schema)}.${identifier(name)}`,
    );
    found.push({ name, value: states[0]!.value, isCalled: states[0]!.called });
  }
  return found;
}
