import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { version } from '../../../clients/typescript/src/index.ts';
import { browserOf } from '../../support/browser.ts';
import { originOf } from '../../support/mcp.ts';
import { useWorker } from '../../support/worker.ts';
import { type TestClient, useOwnWorkspace } from '../../support/workspace.ts';
import { type CliOptions, runCli } from './run-cli.ts';

const workspace = useOwnWorkspace();
useWorker(workspace);

let folder: string;
let account: TestClient;
let env: Record<string, string>;

beforeAll(async () => {
  await workspace.listen();
  folder = await mkdtemp(join(tmpdir(), 'workspace-cli-'));
  account = await workspace.organization();
  env = {
    WORKSPACE_URL: originOf(workspace),
    WORKSPACE_CLIENT_ID: account.clientId,
    WORKSPACE_CLIENT_SECRET: account.clientSecret,
    WORKSPACE_CONFIG_DIR: join(folder, 'config'),
  };
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = (args: string[], options: CliOptions = {}) =>
  runCli(args, { cwd: folder, ...options, env: { ...env, ...options.env } });

/** What was printed by a command that succeeded. */
async function said(...args: string[]): Promise<string> {
  const { code, out, err } = await run(args);
  expect(code, `${args.join(' ')}\n${err}`).toBe(0);
  return out;
}

test('the tour, as commands: from a file to a question, a report of rows and a batch', async () => {
  const lines = ['A1,Porto,12.50', 'A2,Lagos,7.25', 'A3,Porto,30.00'];
  await writeFile(join(folder, 'Orders 2026.csv'), `order_no,city,amount\n${lines.join('\n')}\n`);
  expect(await said('status')).toContain('Test organization');
  expect(await said('projects', 'create', 'Sales')).toMatch(/^Created Sales \(prj_/);
  expect(await said('import', 'Orders 2026.csv', '--preview')).toMatch(
    /amount DOUBLE\n[\s\S]*A1 {2,}Porto {2,}12\.5/,
  );
  expect(await said('import', 'Orders 2026.csv', '--table', 'orders')).toBe('orders: 3 rows.\n');
  const again = await run(['import', 'Orders 2026.csv', '--table', 'orders']);
  expect([again.code, again.err]).toEqual([
    1,
    expect.stringMatching(/(?=[\s\S]*--mode append)(?=[\s\S]*already)/),
  ]);
  expect(await said('tables')).toMatch(/orders {2,}import {2,}3 /);
  const sql = 'SELECT city, count(*) AS n FROM orders GROUP BY city ORDER BY city';
  expect(await said('query', sql, '--format', 'table')).toBe('city   n\n─────  ─\nLagos  1\nPorto  2\n');
  expect(await said('query', sql)).toBe('city,n\r\nLagos,1\r\nPorto,2\r\n');
  expect(JSON.parse(await said('--json', 'query', sql)).rows).toEqual([
    ['Lagos', 1],
    ['Porto', 2],
  ]);
  expect(await said('query', sql, '-o', 'cities.parquet')).toMatch(/^cities\.parquet: 2 rows/);
  expect((await readFile(join(folder, 'cities.parquet'))).subarray(0, 4).toString()).toBe('PAR1');
  expect(await said('export', 'orders', '-o', 'orders.ndjson')).toMatch(/3 rows/);
  expect((await readFile(join(folder, 'orders.ndjson'), 'utf8')).trim().split('\n')).toHaveLength(3);
  expect(await said('chat', 'total amount by city')).toContain('42.5');
  expect(await said('runs', '--kind', 'import')).toMatch(/imp_\w+ {2,}import {2,}succeeded/);
});

test('rows are appended from a pipe, and a batch by its name once', async () => {
  const body = { name: 'targets', kind: 'data', columns: [{ name: 'v', data_type: 'INTEGER' }] };
  expect((await account.call('POST', '/v1/grid/tables', { body })).status).toBe(201);
  const rows = (from: number) => `{"s_id":${from},"v":1}\n\n{"s_id":${from + 1},"v":2}\n`;
  const first = await run(['append', 'targets'], { input: rows(1) });
  expect(first.out).toMatch(/^2 rows appended/);
  for (const _ of ['first', 'again'])
    expect((await run(['append', 'targets', '--batch', 'load'], { input: rows(3) })).out).toMatch(
      /2 inserted/,
    );
  expect(await said('query', 'SELECT count(*) AS n FROM targets')).toBe('n\r\n4\r\n');
  const large = await run(['append', 'targets'], { input: '{"s_id":9007199254740993,"v":7}\n' });
  expect(large.out).toMatch(/^1 row appended/);
  expect(await said('query', 'SELECT s_id FROM targets WHERE v = 7')).toBe('s_id\r\n9007199254740993\r\n');
  expect(
    await said(
      'query',
      'SELECT count(*) AS n FROM targets',
      '--at',
      `targets=${/version (\d+)/.exec(first.out)![1]}`,
    ),
  ).toBe('n\r\n2\r\n');
  const wrong = await run(['append', 'targets'], { input: '{"s_id":9,\n' });
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining("Line 1 isn't a JSON object")]);
});

test('a workflow is applied from a file, changed by it, activated, run and looked at', async () => {
  const document = (sql: string) =>
    JSON.stringify({
      title: 'Daily',
      graph: {
        version: 1,
        parameters: { n: { type: 'number', default: 1 } },
        nodes: [{ id: 'q', type: 'query', name: 'Count', config: { sql } }],
        edges: [],
      },
    });
  await writeFile(join(folder, 'daily.json'), document('SELECT 1 AS one'));
  const made = JSON.parse(await said('--json', 'workflows', 'apply', 'daily.json'));
  await writeFile(join(folder, 'daily.json'), document('SELECT ${params.n} AS one'));
  const changed = JSON.parse(await said('--json', 'workflows', 'apply', 'daily.json'));
  expect([changed.id, changed.revision]).toEqual([made.id, made.revision + 1]);
  expect(await said('workflows', 'activate', made.id)).toMatch(/^Daily is active/);
  expect(await said('workflows', 'run', made.id, '--param', 'n=7')).toMatch(
    /succeeded\n {2}Count: succeeded/,
  );
  expect(await said('workflows', 'logs', made.id)).toMatch(/wfr_\w+ {2,}succeeded/);
  const id = /wfr_\w+/.exec(await said('workflows', 'logs', made.id))![0];
  const opened = await run(['open', id], { env: { WORKSPACE_TEMPORAL_UI: 'http://127.0.0.1:8233/' } });
  expect((await run(['open', id])).out).toMatch(
    /^http:\/\/temporal-ui\.test\/namespaces\/default\/workflows\/workflow-run%2F/,
  );
  expect(opened.out).toMatch(/^http:\/\/127\.0\.0\.1:8233\/namespaces\/default\/workflows\/workflow-run%2F/);
});

test('a service of another version is told, where that may be why', async () => {
  const other = createServer(async (asked, answer) => {
    if (asked.url === '/openapi.json') return void answer.end('{"info":{"version":"9.8.7"}}');
    const chunks: Buffer[] = await asked.toArray();
    const headers = Object.entries(asked.headers).filter(([name]) => !['host', 'connection'].includes(name));
    const { status, body } = await fetch(`${originOf(workspace)}${asked.url}`, {
      method: asked.method!,
      headers: headers as [string, string][],
      body: chunks.length === 0 ? null : Buffer.concat(chunks),
    }).then(async (response) => ({ status: response.status, body: await response.text() }));
    answer.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as AddressInfo;
  const at = ['--url', `http://127.0.0.1:${port}`];
  const warning = `The service has version 9.8.7, and this command line has ${version}.`;
  expect((await run([...at, 'status'])).out).toContain(warning);
  expect((await run([...at, 'projects', 'use', 'prj_unknown'])).err).toContain(warning);
  expect((await run([...at, 'query', 'SELEC 1'])).err).not.toContain(warning);
  expect((await run(['status'])).out).not.toContain('version');
  expect((await run(['projects', 'use', 'prj_unknown'])).err).not.toContain('version');
  other.closeAllConnections();
  await new Promise((resolve) => other.close(resolve));
});

test('a person logs in, chooses a project, and out again; the tokens are theirs alone', async () => {
  const mine = {
    WORKSPACE_CONFIG_DIR: join(folder, 'mine'),
    WORKSPACE_CLIENT_ID: '',
    WORKSPACE_CLIENT_SECRET: '',
  };
  const own: CliOptions = { env: mine };
  const before = await run(['status'], own);
  expect([before.code, before.err]).toEqual([4, expect.stringContaining('workspace login')]);
  const browser = browserOf(workspace);
  await browser.open(`/owner/${account.ownerToken}`);
  const person = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' };
  expect((await browser.post(`/owner/${account.ownerToken}`, person)).status).toBe(303);
  let isAsked = false;
  const login = await run(['login'], {
    ...own,
    onErr: (text) => {
      const code = /user_code=([\w-]+)/.exec(text)?.[1];
      if (code === undefined || isAsked) return;
      isAsked = true;
      void browser
        .open(`/device?user_code=${code}`)
        .then(() => browser.post('/device', { decision: 'approve' }));
    },
  });
  expect([login.code, login.out]).toEqual([0, expect.stringContaining('as Ada')]);
  const { mode } = await stat(join(folder, 'mine/login.json'));
  expect(mode & 0o777).toBe(0o600);
  const [project] = JSON.parse((await run(['--json', 'projects'], own)).out);
  expect((await run(['projects', 'use', project.id], own)).code).toBe(0);
  expect((await run(['status'], own)).out).toContain(project.id);
  // Tokens and projects of one service are not sent to another.
  const elsewhere = await run(['--url', 'http://127.0.0.1:9', 'status'], own);
  expect([elsewhere.code, elsewhere.err]).toEqual([
    4,
    expect.stringContaining('not logged in at http://127.0.0.1:9'),
  ]);
  expect((await run(['logout'], own)).out).toBe('Logged out.\n');
  expect((await run(['status'], own)).code).toBe(4);
});

test('what goes wrong says what to do, with an exit code of its own', async () => {
  const codes: [string[], number, RegExp][] = [
    [['query', 'SELEC 1'], 1, /syntax error/],
    [['query'], 2, /Give either a statement/],
    [['query', 'SELECT 1', '--limit', 'x'], 2, /--limit/],
    [['nonsense'], 2, /unknown command/],
    [['status', '--url', 'notaurl'], 2, /notaurl isn't an address/],
    [['login', '--url', 'http://['], 2, /isn't an address/],
    [['query', 'SELECT 1', '-o', 'answer.json'], 2, /A file can be csv/],
    [['query', 'SELECT 1', '--limit', '1', '-o', 'one.parquet'], 2, /limit into the statement/],
    [['append', 'orders', '--mode', 'replace'], 2, /--batch/],
    [['import', 'a.csv', '--mode', 'overwrite'], 2, /Allowed choices/],
    [['import', 'Orders 2026.csv', 'Orders 2026.csv', '--mode', 'replace'], 2, /--mode append/],
    [['tables', 'nothing'], 1, /There is no table nothing/],
    [['import', 'nothing.csv'], 1, /There is no file/],
    [['export', 'orders'], 2, /Name the file to write/],
    [['runs', 'show', 'imp_none', '--project', 'prj_none'], 1, /run doesn't exist/],
  ];
  for (const [args, code, warning] of codes) {
    const ended = await run(args);
    expect([ended.code, ended.err], args.join(' ')).toEqual([code, expect.stringMatching(warning)]);
  }
  const json = await run(['--json', 'query', 'SELEC 1']);
  expect(JSON.parse(json.err).error).toMatchObject({ code: 'query_failed', requestId: expect.any(String) });
  const wrong = await run(['status'], { env: { WORKSPACE_CLIENT_SECRET: 'wcs_wrong' } });
  expect([wrong.code, wrong.err]).toEqual([4, expect.stringContaining('workspace login')]);
  expect((await run(['--help'])).code).toBe(0);
});

test('what a terminal would obey is not printed, and a reader that stops reading ends the command', async () => {
  const evil = "SELECT chr(27) || ']0;owned' || chr(7) AS evil";
  const printed = await said('query', evil, '--format', 'table');
  expect([printed.includes('\u001b'), printed.includes('\u0007')]).toEqual([false, false]);
  const main = fileURLToPath(new URL('../../../clients/cli/src/main.ts', import.meta.url));
  const command = `"${process.execPath}" "${main}" query 'SELECT range AS n FROM range(500000)' | head -n 2; echo "\${PIPESTATUS[0]}"`;
  const shell = spawn('bash', ['-c', command], { env: { ...env, PATH: process.env['PATH'] } });
  let out = '';
  shell.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  await new Promise((resolve) => shell.once('close', resolve));
  expect(out).toBe('n\r\n0\r\n0\n');
});

test('a conversation is had over a pipe, each question after the other', async () => {
  const { code, out, err } = await run(['chat'], { input: 'how many orders?\nonly Porto\n/quit\n' });
  expect([code, err], err).toEqual([0, expect.stringContaining('run_sql')]);
  expect(out).toMatch(/\*\*3\*\*[\s\S]*\*\*2\*\*/);
});

/** What follows a line whose last word is being typed. Of bash an empty answer means files. */
const completed: readonly [line: string, words: string[]][] = [
  ['workspace pl', ['playbooks']],
  ['workspace projects ', ['create', 'list', 'use']],
  ['workspace query --f', ['--file', '--format']],
  ['workspace import orders.csv --mo', ['--mode']],
  ['workspace --json playbooks run --p', ['--param', '--project']],
  ['workspace import ', []],
];

test('bash completes commands, options and files', async () => {
  const script = await said('completion', 'bash');
  for (const [line, words] of completed) {
    const typed = line.split(' ').map((word) => `"${word}"`);
    const asked = `COMP_WORDS=(${typed.join(' ')}); COMP_CWORD=${typed.length - 1}; _workspace; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = spawnSync('bash', ['-c', `${script}\n${asked}`], { encoding: 'utf8' });
    expect(stdout.trim().split('\n').filter(Boolean).sort(), line).toEqual(words);
  }
});

const hasFish = spawnSync('fish', ['--version']).status === 0;
test.skipIf(!hasFish)('fish completes commands, options and files', async () => {
  const script = await said('completion', 'fish');
  await writeFile(join(folder, 'orders.csv'), 'a\n1\n');
  for (const [line, words] of completed) {
    const asked = `${script}\ncomplete -C '${line}'`;
    const { stdout } = spawnSync('fish', ['-c', asked], { encoding: 'utf8', cwd: folder });
    const found = stdout.trim().split('\n').sort();
    if (words.length > 0) expect(found, line).toEqual(words);
    else expect(found).toContain('orders.csv');
  }
});

const hasZsh = spawnSync('zsh', ['--version']).status === 0;
test.skipIf(!hasZsh)('zsh reads what completes', async () => {
  const script = await said('completion', 'zsh');
  const { status, stderr } = spawnSync('zsh', ['-f', '-n', '-c', script], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
});
