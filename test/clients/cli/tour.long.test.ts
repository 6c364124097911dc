import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
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

test('an answer beyond a million rows is whole in a file; a pipe or an Arrow file is told that there are more', async () => {
  const sql = 'SELECT range AS n FROM range(1000001)';
  const linesOf = (text: string) => text.trim().split('\n');
  const piped = await run(['query', sql, '--format', 'ndjson']);
  expect([piped.code, piped.err]).toEqual([1, expect.stringContaining('Wrote the first 1000000 rows')]);
  expect(linesOf(piped.out)).toHaveLength(1_000_000);
  expect(await said('query', sql, '-o', 'many.csv')).toMatch(/^many\.csv: 1000001 rows/);
  const lines = linesOf(await readFile(join(folder, 'many.csv'), 'utf8'));
  expect([lines.length, lines.at(-1)]).toEqual([1_000_002, '1000000']);
  const arrow = await run(['query', sql, '-o', 'many.arrow']);
  expect([arrow.code, arrow.err]).toEqual([1, expect.stringContaining('workspace export --sql')]);
  expect((await readdir(folder)).filter((name) => name.startsWith('many.'))).toEqual(['many.csv']);
  const limited = await run(['query', sql, '--limit', '3']);
  expect([limited.code, limited.out]).toEqual([0, 'n\r\n0\r\n1\r\n2\r\n']);
});
