import { beforeAll, expect, test } from 'vitest';
import { verifying } from '../../../support/verification.ts';
import { useWorker } from '../../../support/worker.ts';
import { graphOf, node, steps, workflowsOf } from '../../../support/workflows.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);
let client: TestClient;
let on: ReturnType<typeof verifying>;
let flows: ReturnType<typeof workflowsOf>;

beforeAll(async () => {
  client = await workspace.organization();
  on = verifying(client);
  const project = (await on.must('POST', '/v1/projects', 201, { name: 'Flows' })).id;
  flows = workflowsOf(client, () => project);
});

const told = node('told', 'report', { title: 'Fine', content: 'All ${tested.passed}.' });
const edges: [string, string][] = [['tested.passed', 'told.start']];

test('what follows a verification happens only where no test of severity error fails', async () => {
  const table = await on.data('visits', { city: 'STRING' });
  await on.append(table, [{ s_id: 1, city: 'Bonn' }]);
  const id = await on.define(table, 'not_null', { columns: ['city'] }, { name: 'city is there' });
  const byTable = await flows.active(
    graphOf([node('tested', 'verification', { table_ids: [table] }), told], edges),
  );
  const byDefinition = await flows.active(
    graphOf([node('tested', 'verification', { definition_ids: [id] }), told], edges),
  );
  for (const { id: workflow } of [byTable, byDefinition])
    expect(steps(await flows.ran(workflow))).toEqual({ tested: 'succeeded', told: 'succeeded' });

  await on.append(table, [{ s_id: 2, city: null }]);
  for (const { id: workflow } of [byTable, byDefinition]) {
    const failed = await flows.ran(workflow);
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'verification_failed' } });
    expect(failed.error.message).toContain('city is there');
    expect(steps(failed)['tested']).toBe('failed');
  }
  await on.overlay(id, { severity: 'warn' });
  expect((await flows.ran(byTable.id)).status).toBe('succeeded');
});

test('tables and definitions that are not there are told at the activation', async () => {
  const refused = async (config: object) => {
    const draft = await flows.draft(graphOf([node('tested', 'verification', config)]));
    const { status, body } = await client.call('POST', `/v1/workflows/${draft.id}/activation`, {
      body: { expected_revision: draft.revision },
    });
    expect(status).toBe(422);
    return body.detail[0].loc.slice(4);
  };
  expect(await refused({ table_ids: ['tbl_nobody'] })).toEqual(['config', 'table_ids', 0]);
  expect(await refused({ definition_ids: ['vtd_nobody'] })).toEqual(['config', 'definition_ids', 0]);
  expect(await refused({})).toEqual(['config', 'table_ids']);
});
