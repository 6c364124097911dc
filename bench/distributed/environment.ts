/**
 * Prints the environment of run.py for the first organization of a running local stack:
 *
 *   eval "$(node bench/distributed/environment.ts)"
 *
 * Elsewhere, set the same variables to what a credential for the lake contains.
 */
import pg from 'pg';
import { readStack } from '../workspace.ts';

const stack = readStack();
const client = new pg.Client({ connectionString: stack.databaseUrl });
await client.connect();
const { rows } = await client.query<{ schema_name: string }>(
  'SELECT schema_name FROM lakes ORDER BY created_at LIMIT 1',
);
await client.end();
if (rows[0] === undefined) throw new Error('There is no lake yet: import a table first.');

const copied = ['S3_ENDPOINT', 'S3_REGION', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'];
const variables: Record<string, string> = {
  LAKE_CATALOG_URL: stack.databaseUrl,
  LAKE_METADATA_SCHEMA: rows[0].schema_name,
  ...Object.fromEntries(copied.map((name) => [name, stack.environment[name] ?? ''])),
  WORKSPACE_URL: stack.apiUrl,
  WORKSPACE_CLIENT_ID: stack.clientId,
  WORKSPACE_CLIENT_SECRET: stack.clientSecret,
};
for (const [name, value] of Object.entries(variables)) {
  console.log(`export ${name}='${value.replaceAll("'", `'\\''`)}'`);
}
