import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { organizationDeletionProcess } from '../../../../domain/workspace/organizations/deletion/process.ts';
import { deletionSteps } from '../../../../domain/workspace/organizations/deletion/reconcile.ts';
import { shaping } from '../../../support/calculated.ts';
import { eventually, expectEventually } from '../../../support/eventually.ts';
import { type Filled, filled, nothing, remainsOf } from '../../../support/organization-shapes.ts';
import { openAccounts, personOf } from '../../../support/people.ts';
import { reconcile } from '../../../support/reconcile.ts';
import { useWorker } from '../../../support/worker.ts';
import { useOwnWorkspace } from '../../../support/workspace.ts';

const workspace = useOwnWorkspace();
useWorker(workspace);

const script = fileURLToPath(new URL('../../../../local/organizations.ts', import.meta.url));

/** The lines that the operator's command prints. */
async function organizations(...args: string[]) {
  const { namespace } = workspace.temporal.options;
  const env = { ...process.env, DATABASE_URL: workspace.databaseUrl, TEMPORAL_NAMESPACE: namespace };
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...args], { env });
  const lines = stdout.trim();
  return lines === '' ? [] : lines.split('\n').map((line) => JSON.parse(line));
}

const refused = (...args: string[]) =>
  organizations(...args).then(
    () => '',
    ({ stderr }: { stderr: string }) => stderr.trim(),
  );

let gone: Filled;
let kept: Filled;

beforeAll(async () => {
  gone = await filled(workspace, 'Gone');
  kept = await filled(workspace, 'Kept');
}, 300_000);

const stateOf = (id: string) => workspace.deps.processes.stateOf(organizationDeletionProcess.workflowId(id));

test('a deletion waits a week, can be moved and called off, and is started again where its process is gone', async () => {
  const { organizationId } = await workspace.organization('Undecided');
  const usage = await refused('delete');
  expect(usage).toMatch(/^Usage: .*\n.*list\n/);
  expect(await refused('list', '--month', '2026-01')).toBe(usage);
  expect(await refused('delete', organizationId)).toContain(`--confirm ${organizationId}`);
  expect(await refused('delete', organizationId, '--confirm', organizationId, '--in-days=-1')).toContain(
    '--in-days',
  );
  expect((await organizations('show', organizationId))[0]).toMatchObject({
    deletionDueAt: null,
    suspendedAt: null,
  });

  const days = async (...args: string[]) => {
    const [{ deletionDueAt }] = await organizations(
      'delete',
      organizationId,
      '--confirm',
      organizationId,
      ...args,
    );
    return Math.round((Date.parse(deletionDueAt) - Date.now()) / 86_400_000);
  };
  expect(await days()).toBe(7);
  expect(await stateOf(organizationId)).toBe('running');
  const handle = workspace.temporal.workflow.getHandle(
    organizationDeletionProcess.workflowId(organizationId),
  );
  expect((await handle.describe()).searchAttributes).toMatchObject({
    OrganizationId: [organizationId],
    ProcessKind: ['organization-deletion'],
  });
  expect(await days('--in-days', '30')).toBe(30);
  expect(await refused('resume', organizationId)).toContain('scheduled for deletion');

  await handle.terminate();
  await expectEventually(() => stateOf(organizationId)).toBe('terminated');
  await reconcile(workspace, deletionSteps(workspace.deps));
  expect(await stateOf(organizationId)).toBe('running');

  expect((await organizations('keep', organizationId))[0]).toMatchObject({
    deletionDueAt: null,
    suspendedAt: expect.any(String),
  });
  await expectEventually(() => stateOf(organizationId)).toBe('ended');
  await reconcile(workspace, deletionSteps(workspace.deps));
  expect(await stateOf(organizationId)).toBe('ended');
  expect((await organizations('keep', organizationId))[0].deletionDueAt).toBeNull();
  expect((await organizations('resume', organizationId))[0].suspendedAt).toBeNull();
});

test('an organization goes with everything, and another one loses nothing', {
  timeout: 300_000,
}, async () => {
  // One person is a member of both, the other of the one that goes.
  const [shared, only] = [await personOf(workspace, gone.client, 'member'), gone.owner];
  const elsewhere = await personOf(workspace, kept.client, 'member');
  await openAccounts(workspace, [shared, only]);
  const { catalogPool: pool } = workspace.deps.lake;
  await pool.query(
    'UPDATE users SET account_id = (SELECT account_id FROM users WHERE id = $1) WHERE id = $2',
    [shared.id, elsewhere.id],
  );
  const { rows: accounts } = await pool.query(
    'SELECT account_id AS id, id = $1 AS stays FROM users WHERE id = $1 OR id = $2',
    [shared.id, only.id],
  );
  const before = await remainsOf(workspace, kept);
  const all = await remainsOf(workspace, gone);
  expect(Object.keys(all.rows).length).toBeGreaterThan(35);
  expect(new Set(all.objects.map((key) => key.split('/')[0])).size).toBe(11);
  expect([all.schemas.length, all.roles.length]).toEqual([1, 3]);

  const { organizationId } = gone.client;
  await organizations('delete', organizationId, '--confirm', organizationId, '--in-days', '0');
  await eventually(
    () => remainsOf(workspace, gone),
    ({ rows }) => rows['organizations'] === undefined,
  );
  expect(await remainsOf(workspace, gone)).toEqual(nothing);
  expect(await refused('show', organizationId)).toBe(`There is no organization ${organizationId}.`);
  await expectEventually(async () => (await gone.client.call('GET', '/v1/me')).status).toBe(401);
  const { rows: left } = await pool.query('SELECT id FROM accounts WHERE id = ANY ($1)', [
    accounts.map(({ id }) => id),
  ]);
  expect(left).toEqual(accounts.filter(({ stays }) => stays).map(({ id }) => ({ id })));
  const { count } = await workspace.temporal.workflow.count(
    `OrganizationId = '${organizationId}' AND ExecutionStatus = 'Running'`,
  );
  // Its own process looks once more later.
  expect(count).toBeLessThanOrEqual(1);

  expect(await kept.read()).toEqual({ file: 200, orders: { n: 2, total: 30 } });
  const after = await remainsOf(workspace, kept);
  expect({ ...after, rows: {} }).toEqual({ ...before, rows: {} });
  expect(Object.keys(before.rows).filter((table) => after.rows[table] === undefined)).toEqual([]);
});

test('under load, and with its process terminated after each step, it ends too', {
  timeout: 300_000,
}, async () => {
  const busy = await filled(workspace, 'Busy');
  const { client } = busy;
  const { organizationId } = client;
  const on = shaping(client);
  const events = await on.data('events', { n: 'INTEGER' });
  const [origin, token] = [await workspace.listen(), await client.token()];
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(origin + path, { method: 'POST', headers, body: JSON.stringify(body) });
    await answer.text();
    return answer.status;
  };
  const answers = new Set<number>();
  let isOver = false;
  const lanes = Array.from({ length: 4 }, async (_, lane) => {
    for (let n = 0; !isOver; n += 1) {
      const rows = [{ s_id: n * 4 + lane, n }];
      const status = await (lane < 3
        ? post(`/v1/tables/${events}/rows`, { rows })
        : post('/v1/query-executions', { sql: 'SELECT count(*) FROM events' }));
      answers.add(status);
      if (status === 401) return;
    }
  });
  await organizations('delete', organizationId, '--confirm', organizationId, '--in-days', '0');
  const handle = workspace.temporal.workflow.getHandle(
    organizationDeletionProcess.workflowId(organizationId),
  );
  const isThere = async () => (await remainsOf(workspace, busy)).rows['organizations'] !== undefined;
  /** How many the last one has done; the end may come before it is terminated. */
  const steps = async () => {
    if (!(await isThere())) return Number.POSITIVE_INFINITY;
    const { events: history } = await handle.fetchHistory();
    return history!.filter((event) => event.activityTaskCompletedEventAttributes).length;
  };
  // Each one is ended a step later than the one before, and the next begins anew.
  for (const step of [1, 3, 4, 5, 6, 7, 8, 9]) {
    await eventually(steps, (done) => done >= step);
    if (!(await isThere())) break;
    await handle.terminate().catch(() => undefined);
    await reconcile(workspace, deletionSteps(workspace.deps));
  }
  await eventually(isThere, (there) => !there);
  isOver = true;
  await Promise.all(lanes);
  expect([...answers].filter((status) => ![200, 401, 403].includes(status))).toEqual([]);
  expect(await remainsOf(workspace, busy)).toEqual(nothing);
  expect(await kept.read()).toEqual({ file: 200, orders: { n: 2, total: 30 } });
});
