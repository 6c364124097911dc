import { beforeAll, expect, test } from 'vitest';
import * as grants from '../../support/grants.ts';
import { type Person, personOf } from '../../support/people.ts';
import { usePostgres } from '../../support/postgres.ts';
import { type TestClient, useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();
const door = usePostgres(workspace);
let client: TestClient;
let insider: Person;
let outsider: Person;

beforeAll(async () => {
  client = await workspace.organization();
  insider = await personOf(workspace, client, 'member');
  outsider = await personOf(workspace, client, 'member');
  const table = await grants.madeTable(client, 'hidden');
  await grants.replaceGrants(client, table, grants.only(insider, 'read'));
});

const session = (person: Person, user = person.email) =>
  door.connect(client, { user, password: person.token });

test('a person signs in with an access token, and sees what they can read', async () => {
  const sql = await session(insider);
  expect((await sql.query('SELECT a FROM hidden')).rows.map(({ a }) => Number(a))).toEqual([7]);
  const { rows } = await sql.query(`SELECT relname FROM pg_class WHERE relkind = 'r' AND relname = 'hidden'`);
  expect(rows).toEqual([{ relname: 'hidden' }]);
});

test('for anyone else the table does not exist, in queries and in the catalog', async () => {
  const sql = await session(outsider, outsider.id);
  const said = (name: string) =>
    sql
      .query(`SELECT * FROM ${name}`)
      .then(String, ({ code, message }) => [code, message.replace(name, 'x')]);
  expect(await said('hidden')).toEqual(await said('nothing'));
  const { rows } = await sql.query(`SELECT count(*)::int AS n FROM pg_attribute WHERE attname = 'a'`);
  expect(rows).toEqual([{ n: 0 }]);
  await expect(sql.query(`SELECT 'hidden'::regclass`)).rejects.toMatchObject({ code: '42P01' });
});

test('a token opens no session of somebody else', async () => {
  const password = insider.token;
  for (const user of [outsider.email, client.clientId])
    await expect(door.connect(client, { user, password })).rejects.toMatchObject({ code: '28P01' });
});

test('statements about the catalog reach nothing else', async () => {
  const sql = await door.connect(client);
  for (const text of [
    'SELECT * FROM pg_class, duckdb_settings()',
    `SELECT * FROM pg_class, read_text('/etc/passwd')`,
    `SELECT * FROM pg_class, "query"('SELECT 1')`,
    `SELECT * FROM pg_class, json_execute_serialized_sql('x')`,
    `COPY (SELECT * FROM pg_class) TO '/tmp/x'`,
    `SELECT * FROM pg_class, '/etc/passwd'`,
  ])
    await expect(sql.query(text), text).rejects.toMatchObject({ code: expect.stringMatching(/^(?:42|0A)/) });
});
