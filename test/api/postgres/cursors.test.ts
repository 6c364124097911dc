import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { beforeAll, expect, test } from 'vitest';
import { usePostgres } from '../../support/postgres.ts';
import { type TestClient, useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();
const door = usePostgres(workspace);
let client: TestClient;
let sql: pg.Client;

beforeAll(async () => {
  client = await workspace.organization();
  sql = await door.connect(client);
});

test('a cursor gives as many rows as are fetched, as Tableau does it', async () => {
  await sql.query('BEGIN');
  await sql.query('DECLARE "SQL_CUR1" CURSOR WITH HOLD FOR SELECT i FROM range(25) t(i)');
  const sizes: number[] = [];
  for (let size = -1; size !== 0; ) {
    size = (await sql.query('FETCH 10 IN "SQL_CUR1"')).rows.length;
    sizes.push(size);
  }
  expect(sizes).toEqual([10, 10, 5, 0]);
  await sql.query('CLOSE "SQL_CUR1"');
  await sql.query('COMMIT');
  await expect(sql.query('FETCH 1 IN "SQL_CUR1"')).rejects.toMatchObject({ code: '34000' });
});

test('COPY to standard output, as text and as CSV', async () => {
  const copied = async (options: string) => {
    const stream = sql.query(
      copyTo(
        `COPY (SELECT 1 AS a, 'x,"y"' AS b, NULL AS c, 'd' || chr(9) || chr(92) AS d) TO STDOUT ${options}`,
      ),
    );
    let text = '';
    for await (const part of stream) text += String(part);
    return text;
  };
  expect(await copied('')).toBe('1\tx,"y"\t\\N\td\\t\\\\\n');
  expect(await copied('(FORMAT csv, HEADER)')).toBe('a,b,c,d\n1,"x,""y""",,d\t\\\n');
  await expect(sql.query('COPY nothing FROM STDIN')).rejects.toMatchObject({ code: '25006' });
});

test('prepared statements are told apart, and end', async () => {
  const text = 'SELECT $1::int AS a';
  expect((await sql.query({ name: 'one', text, values: [1] })).rows).toEqual([{ a: 1 }]);
  expect((await sql.query({ name: 'one', text, values: [2] })).rows).toEqual([{ a: 2 }]);
  await sql.query('DEALLOCATE one');
  await expect(sql.query('DEALLOCATE one')).rejects.toMatchObject({ code: '26000' });
  await sql.query('DISCARD ALL');
});

test('lists as parameters', async () => {
  const { rows } = await sql.query('SELECT i FROM range(5) t(i) WHERE i = ANY($1) ORDER BY i', [[1, 3]]);
  expect(rows.map(({ i }) => Number(i))).toEqual([1, 3]);
});

test('without TLS, a client that insists on it is refused', async () => {
  await expect(door.connect(client, { ssl: { rejectUnauthorized: false } })).rejects.toThrow('SSL');
});
