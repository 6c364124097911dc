import { expect, test } from 'vitest';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { beginWorkflowRun } from '../../../../domain/automation/workflows/runs/begin.ts';
import { insertDeliveries } from '../../../../domain/publishing/deliveries/deliveries.ts';
import { projectOf } from '../../../support/conversations.ts';
import { graphOf, node, workflowsOf } from '../../../support/workflows.ts';
import { useWorkspace } from '../../../support/workspace.ts';

/** No worker processes these runs. */
const workspace = useWorkspace();

test('so many runs of an organization are at work, and one that waits for a person or a delivery is not', async () => {
  const client = await workspace.organization();
  const project = await projectOf(client);
  const workflows = workflowsOf(client, () => project);
  const { organizationId } = client;
  const { id } = await workflows.active(graphOf([node('ask', 'approval', { message: 'Well?' })]));
  const begin = (runId: string) => beginWorkflowRun(workspace.activityDeps, { organizationId, runId });
  const runs: string[] = [];
  for (let count = 0; count < 33; count += 1) runs.push((await workflows.start(id)).id);
  for (const runId of runs.slice(0, 32)) expect(await begin(runId)).toMatchObject({ resumes: 0 });
  expect(await begin(runs[32]!)).toBe('crowded');
  expect((await workflows.shown(id, runs[32]!)).status).toBe('queued');
  // A run that had already begun continues.
  expect(await begin(runs[0]!)).toMatchObject({ resumes: 0 });
  await inOrganization(workspace.deps.db, organizationId, (db) =>
    db
      .updateTable('workflow_run_nodes')
      .set({ status: 'running', work: JSON.stringify({ approvalId: 'wap_1' }) })
      .where('organization_id', '=', organizationId)
      .where('run_id', '=', runs[0]!)
      .execute(),
  );
  expect(await begin(runs[32]!)).toMatchObject({ resumes: 0 });
  expect((await workflows.shown(id, runs[32]!)).status).toBe('running');
  const { id: last } = await workflows.start(id);
  expect(await begin(last)).toBe('crowded');
  const delivery = {
    organization_id: organizationId,
    id: 'dlv_1',
    project_id: project,
    workflow_id: id,
    workflow_run_id: runs[1]!,
    node_id: 'ask',
    kind: 'webhook' as const,
    target: 'https://example.com/',
    content: '{}',
    status: 'pending' as const,
  };
  await inOrganization(workspace.deps.db, organizationId, (db) => insertDeliveries(db, [delivery]));
  expect(await begin(last)).toMatchObject({ resumes: 0 });
});
