import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { addTokens } from '../../../../domain/analyst/turns/token-usage.ts';
import { countStatements, lookAtStoredBytes } from '../../../../domain/workspace/usage/count.ts';
import { usageSteps } from '../../../../domain/workspace/usage/reconcile.ts';
import { usageOf } from '../../../../domain/workspace/usage/show.ts';
import { shaping } from '../../../support/calculated.ts';
import { eventually } from '../../../support/eventually.ts';
import { reconcile } from '../../../support/reconcile.ts';
import { type TestClient, useOwnWorkspace } from '../../../support/workspace.ts';

const workspace = useOwnWorkspace();
const script = fileURLToPath(new URL('../../../../local/organizations.ts', import.meta.url));

async function organizations(...args: string[]) {
  const env = { ...process.env, DATABASE_URL: workspace.databaseUrl };
  const { stdout } = await promisify(execFile)(process.execPath, [script, 'usage', ...args], { env });
  const lines = stdout.trim();
  return lines === '' ? [] : lines.split('\n').map((line) => JSON.parse(line));
}

let client: TestClient;
let other: TestClient;

beforeAll(async () => {
  client = await workspace.organization('Busy');
  other = await workspace.organization('Idle');
  const on = shaping(client);
  const orders = await on.data('orders', { city: 'STRING' });
  await on.append(orders, [
    { s_id: 1, city: 'Porto' },
    { s_id: 2, city: 'Faro' },
  ]);
  await on.append(orders, [{ s_id: 3, city: 'Braga' }]);
  for (let n = 0; n < 3; n += 1) await on.rows('SELECT count(*) FROM orders');
  // Records of statements are written in groups, after their answers.
  const recorded = () =>
    run('SELECT FROM query_executions WHERE organization_id = $1', [client.organizationId]);
  await eventually(recorded, ({ rowCount }) => rowCount === 3);
  const project = (await client.call('POST', '/v1/projects', { body: { name: 'Sales' } })).body.data.id;
  const content = { content: 'x'.repeat(5_000) };
  const file = await client.call('PUT', `/v1/projects/${project}/files/content?path=a.txt`, {
    body: content,
  });
  expect(file.status, file.text).toBe(201);
  await inOrganization(workspace.deps.db, client.organizationId, (db) =>
    addTokens(db, client.organizationId, { inputTokens: 70, outputTokens: 7 }),
  );
});

const thisMonth = () => new Date().toISOString().slice(0, 7);
const run = (statement: string, values: unknown[] = []) =>
  workspace.deps.lake.catalogPool.query(statement, values);

/** Counts to the end, as workers do round after round. */
async function countAll() {
  while (await countStatements(workspace.deps.db, 0));
}

test('statements are counted once each, however many count and how often', async () => {
  const { organizationId } = client;
  // Of another month, and within what is not counted yet.
  await run(
    `INSERT INTO query_executions (organization_id, id, caller_id, sql, status, elapsed_ms, created_at)
     SELECT $1, 'qry_' || n, 'usr_1', 'SELECT 1', 'succeeded', 1,
       date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' - interval '1 second'
     FROM generate_series(1, 4) n`,
    [organizationId],
  );
  const lastMonth = new Date(Date.now());
  lastMonth.setUTCDate(0);
  await run(`UPDATE usage_counting SET counted_to = now() - interval '35 days'`);
  await Promise.all([countAll(), countAll(), countAll()]);
  await countAll();
  const used = await usageOf(workspace.deps.lake.catalogPool, organizationId);
  expect(used).toEqual([
    {
      ...{ organizationId, month: lastMonth.toISOString().slice(0, 7), statements: 4 },
      ...{ modelTokens: 0, rowsWritten: 0, rowsRemoved: 0, bytesStored: null },
    },
    {
      ...{ organizationId, month: thisMonth(), statements: 3 },
      ...{ modelTokens: 77, rowsWritten: 3, rowsRemoved: 0, bytesStored: null },
    },
  ]);
});

test('what is stored is looked at once an hour, and told by the command with the rest', async () => {
  await reconcile(workspace, usageSteps(workspace.deps));
  expect(await lookAtStoredBytes(workspace.deps.db, workspace.deps.lake.catalogPool)).toBe(false);
  const { organizationId } = client;
  const [shown] = await organizations(organizationId, '--month', thisMonth());
  expect(shown).toMatchObject({ organizationId, month: thisMonth(), statements: 3, modelTokens: 77 });
  expect(shown.bytesStored).toBeGreaterThanOrEqual(5_000);
  expect(await organizations(organizationId, '--month', '2020-02')).toEqual([
    expect.objectContaining({ month: '2020-02', statements: 0, bytesStored: null }),
  ]);
  const all = await organizations('--month', thisMonth());
  expect(all.map(({ organizationId: id }) => id).sort()).toEqual(
    [client.organizationId, other.organizationId].sort(),
  );
  await expect(organizations('--month', '2026-13')).rejects.toMatchObject({
    stderr: '--month must be a month, such as 2026-11.\n',
  });
});

test('months of which nobody asks any more are forgotten', async () => {
  await run(
    `INSERT INTO organization_usage (organization_id, month, statements)
     SELECT $1, date_trunc('month', now() AT TIME ZONE 'UTC')::date - make_interval(months => n), 1
     FROM generate_series(22, 25) n`,
    [client.organizationId],
  );
  await countStatements(workspace.deps.db);
  const { rows } = await run(
    `SELECT count(*) AS n FROM organization_usage WHERE organization_id = $1 AND month < now() - interval '21 months'`,
    [client.organizationId],
  );
  expect(rows).toEqual([{ n: 2 }]);
});
