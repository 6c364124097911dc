import { beforeAll, expect, test } from 'vitest';
import { exporting } from '../../../support/exports.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);
let client: TestClient;
let on: ReturnType<typeof exporting>;
let numbers: string;

beforeAll(async () => {
  client = await workspace.organization();
  on = exporting(client);
  numbers = await on.data('numbers', { n: 'INTEGER' });
  await on.append(numbers, [{ s_id: 1, n: 1 }]);
});

const bodies: [string, object, (string | number)[]][] = [
  ['neither a statement nor a table', { format: 'csv' }, ['body', 'sql']],
  ['both', { sql: 'SELECT 1', table_id: 'tbl_x', format: 'csv' }, ['body', 'table_id']],
  ['a format that is not there', { sql: 'SELECT 1', format: 'pdf' }, ['body', 'format']],
  ['a path without its project', { sql: 'SELECT 1', format: 'csv', path: 'a.csv' }, ['body', 'project_id']],
  [
    'a path that leaves the project',
    { sql: 'SELECT 1', format: 'csv', project_id: 'prj_x', path: '../a.csv' },
    ['body', 'path'],
  ],
  [
    'files of a workbook',
    { sql: 'SELECT 1', format: 'xlsx', max_file_bytes: 1_048_576 },
    ['body', 'max_file_bytes'],
  ],
  [
    'files that are too small',
    { sql: 'SELECT 1', format: 'csv', max_file_bytes: 1_000 },
    ['body', 'max_file_bytes'],
  ],
  [
    'a version of no table',
    { sql: 'SELECT 1', format: 'csv', at_versions: { nothing: 1 } },
    ['body', 'at_versions', 'nothing'],
  ],
  ['a name that is a path', { sql: 'SELECT 1', format: 'csv', name: 'a/b' }, ['body', 'name']],
];

test.each(bodies)('%s is refused at its place', async (_, body, loc) => {
  const answer = await client.call('POST', '/v1/exports', { body });
  expect(answer.status, answer.text).toBe(422);
  expect(answer.body.detail.map((fault: { loc: unknown }) => fault.loc)).toContainEqual(loc);
});

const statements: [string, object, number, string][] = [
  ['what is not one SELECT', { sql: 'DELETE FROM numbers' }, 400, 'query_not_read_only'],
  ['two statements', { sql: 'SELECT 1; SELECT 2' }, 400, 'query_not_read_only'],
  ['a table that is not there', { sql: 'SELECT * FROM nothing' }, 400, 'query_failed'],
  ['a column that is not there', { sql: 'SELECT x FROM numbers' }, 400, 'query_failed'],
  ['a function that reads files', { sql: "SELECT * FROM read_csv('/etc/passwd')" }, 400, 'query_failed'],
  ['a bracket that would close ours', { sql: 'SELECT 1) UNION ALL (SELECT 2' }, 400, 'query_failed'],
  ['a table id that is not there', { table_id: 'tbl_01kahz3v6dfyvb1s8m3h9q2w4x' }, 404, 'not_found'],
  [
    'a version that never was',
    { sql: 'SELECT 1', at_versions: { numbers: 999_999 } },
    400,
    'version_expired',
  ],
  [
    'a project that is not there',
    { sql: 'SELECT 1', project_id: 'prj_01kahz3v6dfyvb1s8m3h9q2w4x' },
    404,
    'not_found',
  ],
];

test.each(statements)('%s is refused before anything starts', async (_, body, status, code) => {
  const answer = await client.call('POST', '/v1/exports', { body: { ...body, format: 'csv' } });
  expect(answer.status, answer.text).toBe(status);
  expect(answer.body.code).toBe(code);
  expect((await client.call('GET', '/v1/exports')).body.items).toEqual([]);
});
