import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { shaping } from '../../support/calculated.ts';
import { usePostgres } from '../../support/postgres.ts';
import { type TestClient, useWorkspace } from '../../support/workspace.ts';

const hasPsql = spawnSync('psql', ['--version']).status === 0;
const run = promisify(execFile);

const workspace = useWorkspace();
const door = usePostgres(workspace);
let client: TestClient;

beforeAll(async () => {
  client = await workspace.organization();
  const orders = await shaping(client).data('orders', { city: 'STRING', amount: 'DECIMAL(18,2)' });
  await shaping(client).append(orders, [{ s_id: 1, city: 'Porto', amount: '12.50' }]);
  const created = await client.call('POST', '/v1/views', {
    body: { name: 'large', query: 'SELECT city FROM orders WHERE amount > 5' },
  });
  expect(created.status, created.text).toBe(201);
});

async function psql(command: string): Promise<string> {
  const { clientId, clientSecret, organizationId } = client;
  const place = ['-h', '127.0.0.1', '-p', String(door.port), '-U', clientId, '-d', organizationId];
  const { stdout, stderr } = await run('psql', ['-X', '-A', '-t', ...place, '-c', command], {
    env: { ...process.env, PGPASSWORD: clientSecret },
  });
  return stdout + stderr;
}

describe.skipIf(!hasPsql)('psql, where it is installed', () => {
  test.each([
    ['SELECT city, amount FROM orders', 'Porto|12.50'],
    ['\\dt', 'main|orders|table'],
    ['\\dv', 'main|large|view'],
    ['\\d orders', 'amount|numeric(18,2)'],
    [`SELECT pg_get_viewdef('large'::regclass)`, 'SELECT city FROM orders'],
    ['\\d+ large', 'city|text'],
    ['\\dn', 'main'],
    ['\\l', 'UTF8'],
    ['\\du', ''],
    ['\\df', ''],
    ['\\di', ''],
    ['\\dT+ int4', 'integer'],
    ['\\dp', 'orders'],
    ['\\copy (SELECT city FROM orders) TO STDOUT', 'Porto'],
  ])('%s', async (command, expected) => {
    const said = await psql(command);
    expect(said).toContain(expected);
    expect(said).not.toContain('ERROR');
  });
});
