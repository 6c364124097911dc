import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { hostEnvironment } from '../../../local/host-environment.ts';
import { pythonVersion } from '../../../local/python.ts';
import { installWheels } from '../../../local/wheels.ts';
import { run } from '../../generators/install.ts';
import { shaping } from '../../support/calculated.ts';
import { usePostgres } from '../../support/postgres.ts';
import { type TestClient, useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();
const door = usePostgres(workspace);
let client: TestClient;

beforeAll(async () => {
  client = await workspace.organization();
  const columns = { city: 'STRING', amount: 'DECIMAL(18,2)', day: 'DATE' };
  const orders = await shaping(client).data('orders', columns);
  await shaping(client).append(orders, [
    { s_id: 1, city: 'Porto', amount: '12.50', day: '2026-01-02' },
    { s_id: 2, city: 'Lyon', amount: null, day: null },
  ]);
});

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

test('psycopg, SQLAlchemy and asyncpg', async () => {
  const what = "Python's clients of PostgreSQL";
  const path = await installWheels({
    environment: hostEnvironment(),
    report: (line) => process.stderr.write(`${line}\n`),
    wheels: {
      requirements: here('python/requirements.txt'),
      prefix: 'postgres-clients-',
      what,
      size: 'about 15 MB',
      of: pythonVersion(what),
    },
  });
  const { clientId, clientSecret, organizationId } = client;
  const args = [here('python/clients.py'), String(door.port), clientId, clientSecret, organizationId];
  const { code, output } = await run('python3', args, { cwd: here('python'), path });
  expect(code, output).toBe(0);
  expect(JSON.parse(output)).toMatchObject({
    psycopg: [
      ['Lyon', 'None', 'None'],
      ['Porto', '12.50', '2026-01-02'],
    ],
    binary: [['Porto', '12.50', '2026-01-02', '[1, 2]']],
    cursor: [10, 24_990],
    tables: ['orders'],
    views: [],
    schemas: ['information_schema', 'main'],
    columns: expect.arrayContaining([
      ['city', 'TEXT'],
      ['amount', 'NUMERIC(18, 2)'],
      ['day', 'DATE'],
    ]),
    key: [],
    'foreign keys': [],
    unknown: false,
    asyncpg: [['Porto', '12.50']],
    'asyncpg cursor': 1_000,
  });
});
