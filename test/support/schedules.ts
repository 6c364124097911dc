import { expect } from 'vitest';
import { scheduleSteps } from '../../domain/automation/schedules/reconcile.ts';
import { reconcile } from './reconcile.ts';
import type { TestClient, Workspace } from './workspace.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape.
type Data = any;

/** A playbook that the offline analyst runs over a table `orders`, or with the given body. */
export async function writtenPlaybook(
  client: TestClient,
  projectId: string,
  body: object = {},
): Promise<string> {
  const answer = await client.call('POST', `/v1/projects/${projectId}/playbooks`, {
    body: { title: 'Orders', instructions: '# Orders\n\n- how many orders', ...body },
  });
  expect(answer.status, answer.text).toBe(201);
  return answer.body.data.id;
}

export const daily = { type: 'daily', zone_id: 'Europe/Berlin', time_of_day: '08:00' };

export function scheduleBody(projectId: string, playbookId: string, change: object = {}) {
  return {
    kind: 'playbook',
    target: { project_id: projectId, playbook_id: playbookId },
    schedule: daily,
    ...change,
  };
}

export async function madeSchedule(
  client: TestClient,
  projectId: string,
  playbookId: string,
  change: object = {},
): Promise<Data> {
  const answer = await client.call('POST', '/v1/schedules', {
    body: scheduleBody(projectId, playbookId, change),
  });
  expect(answer.status, answer.text).toBe(201);
  return answer.body.data;
}

/** A worker's round over schedules, their fires and their backfills, without waiting. */
export function reconcileSchedules(workspace: Workspace): Promise<void> {
  return reconcile(workspace, scheduleSteps(workspace.activityDeps, 0));
}
