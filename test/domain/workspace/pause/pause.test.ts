import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { MockActivityEnvironment } from '@temporalio/testing';
import { beforeAll, expect, test } from 'vitest';
import { scheduleControlActivities } from '../../../../activities/automation/control.ts';
import { deliveryAgentActivities } from '../../../../activities/publishing/agent.ts';
import {
  isAutomationPaused,
  pauseAutomation,
  pauseWhereNotResumed,
  resumeAutomation,
  unlessPaused,
} from '../../../../domain/workspace/pause/pause.ts';
import { projectOf } from '../../../support/conversations.ts';
import { madeSchedule, writtenPlaybook } from '../../../support/schedules.ts';
import { graphOf, node, workflowsOf } from '../../../support/workflows.ts';
import { type TestClient, useOwnWorkspace } from '../../../support/workspace.ts';

const workspace = useOwnWorkspace();
const script = fileURLToPath(new URL('../../../../local/automation.ts', import.meta.url));
let client: TestClient;
let project: string;

beforeAll(async () => {
  client = await workspace.organization();
  project = await projectOf(client);
});

/** What the operator's command prints. */
async function automation(command: string) {
  const env = { ...process.env, DATABASE_URL: workspace.databaseUrl };
  const { stdout } = await promisify(execFile)(process.execPath, [script, command], { env });
  return JSON.parse(stdout);
}

test('the operator pauses and resumes all automation', async () => {
  expect(await automation('status')).toEqual({ pausedAt: null, resumedAt: null });
  const paused = await automation('pause');
  expect(paused.pausedAt).toEqual(expect.any(String));
  expect(await automation('pause')).toEqual(paused);
  expect(await automation('resume')).toEqual({ pausedAt: null, resumedAt: expect.any(String) });
  await expect(automation('stop')).rejects.toMatchObject({ stderr: expect.stringContaining('Usage') });
});

test('a copy is paused in every place that it was not resumed in', async () => {
  const { db } = workspace.deps;
  const start = (place: string) => pauseWhereNotResumed(db, place);
  await pauseAutomation(db);
  await resumeAutomation(db, 'production');
  await start('production');
  expect(await isAutomationPaused(db)).toBe(false);
  await start('staging');
  expect(await isAutomationPaused(db)).toBe(true);
  await resumeAutomation(db, 'staging');
  await start('staging');
  expect(await isAutomationPaused(db)).toBe(false);
});

test('while it is paused no schedule fires, no webhook starts a run, and no delivery leaves', async () => {
  const { db } = workspace.deps;
  const workflows = workflowsOf(client, () => project);
  const graph = graphOf([node('one', 'query', { sql: 'SELECT 1 AS one' })]);
  const made = await workflows.draft(graph, { triggers: [{ type: 'webhook' }] });
  await workflows.activate(made);
  const { hookUrl } = made.triggers[0].config;
  const call = () => {
    const at = Math.floor(Date.now() / 1_000);
    const signature = createHmac('sha256', made.triggers[0].secret).update(`${at}.{}`).digest('hex');
    return workspace.call('POST', new URL(hookUrl).pathname, {
      raw: { text: '{}', contentType: 'application/json' },
      headers: { 'x-webhook-timestamp': String(at), 'x-webhook-signature': `v1=${signature}` },
    });
  };
  const schedule = await madeSchedule(client, project, await writtenPlaybook(client, project));
  const input = { organizationId: client.organizationId, scheduleId: schedule.id };
  const inTwoDays = Date.now() + 2 * 86_400_000;
  const advance = () =>
    new MockActivityEnvironment().run(
      scheduleControlActivities(workspace.activityDeps).advanceSchedule,
      input,
      inTwoDays,
    );
  const attempt = () =>
    new MockActivityEnvironment().run(deliveryAgentActivities(workspace.activityDeps).attemptDelivery, {
      organizationId: client.organizationId,
      deliveryId: 'dlv_01kahz3v6dfyvb1s8m3h9q2w4x',
    });

  await pauseAutomation(db);
  const refused = await call();
  expect([refused.status, refused.body.code]).toEqual([503, 'workflows_unavailable']);
  expect(refused.headers['retry-after']).toBe('60');
  expect(await advance()).toMatchObject({ kind: 'wait', atMs: inTwoDays + 60_000 });
  const runs = () => client.call('GET', `/v1/schedules/${schedule.id}/runs`);
  expect((await runs()).body.items).toEqual([]);
  expect(await attempt()).toEqual({ status: 'pending', retryAfterMs: 30_000 });
  const [step] = unlessPaused(db, [
    { name: 'x', find: async () => [{ key: 'x', work: async () => undefined }] },
  ]);
  expect(await step!.find()).toEqual([]);

  await resumeAutomation(db, 'here');
  expect((await call()).status).toBe(202);
  await advance();
  expect((await runs()).body.items.length).toBeGreaterThan(0);
  expect(await attempt()).not.toMatchObject({ status: 'pending' });
  expect(await step!.find()).toHaveLength(1);
});
