import { expect, test, vi } from 'vitest';
import { EngineEndedError } from '../../data/lake/engine/failure.ts';
import { importProcess } from '../../domain/intake/file-imports/process.ts';
import { eventually } from '../support/eventually.ts';
import { useWorker } from '../support/worker.ts';
import { type TestClient, useOrganization, useWorkspace } from '../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);
const client = useOrganization(workspace);

async function importFile(client: TestClient, name: string): Promise<string> {
  const project = (await client.call('POST', '/v1/projects', { body: { name } })).body.data.id as string;
  const file = await client.call('PUT', `/v1/projects/${project}/files/content?path=${name}.csv`, {
    body: { content: 'a,b\n1,2\n3,4\n' },
  });
  const started = await client.call('POST', `/v1/projects/${project}/files/${file.body.data.id}/imports`, {
    body: { table_name: name },
  });
  expect(started.status, started.text).toBe(202);
  return started.body.data.id as string;
}

async function ended(client: TestClient, id: string) {
  return eventually(
    async () => (await client.call('GET', `/v1/table-imports/${id}`)).body.data,
    ({ status }) => ['succeeded', 'failed'].includes(status),
  );
}

test('a file at which two engine processes end is given up, with what is known', async () => {
  const stage = vi.spyOn(workspace.activityDeps.files, 'stage').mockRejectedValue(new EngineEndedError());
  const failed = await ended(client, await importFile(client, 'deadly'));
  expect(stage).toHaveBeenCalledTimes(2);
  stage.mockRestore();
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'engine_failed' } });
});

test('one that ends once costs the import a try', async () => {
  const stage = vi.spyOn(workspace.activityDeps.files, 'stage').mockRejectedValueOnce(new EngineEndedError());
  const done = await ended(client, await importFile(client, 'unlucky'));
  stage.mockRestore();
  expect(done).toMatchObject({ status: 'succeeded', rowsImported: 2 });
});

test('a process waits for workers in the turn of its organization', async () => {
  const id = await importFile(client, 'fair');
  const { raw } = await workspace.temporal.workflow.getHandle(importProcess.workflowId(id)).describe();
  expect(raw.workflowExecutionInfo?.priority?.fairnessKey).toBe(client.organizationId);
  await ended(client, id);
});
