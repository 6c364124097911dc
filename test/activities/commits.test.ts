import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test, vi } from 'vitest';
import { tableImportLakeActivities } from '../../activities/intake/lake.ts';
import { inOrganization } from '../../data/postgres/client.ts';
import { importProcess } from '../../domain/intake/file-imports/process.ts';
import { commitImport, stageImport } from '../../domain/intake/file-imports/run.ts';
import { getTableImport } from '../../domain/intake/file-imports/table-imports.ts';
import { useWorker } from '../support/worker.ts';
import { useWorkspace } from '../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);

/** An import that is staged and has no process; `attempt` is that of its commit. */
async function stagedImport(name: string) {
  const client = await workspace.organization();
  const project = (await client.call('POST', '/v1/projects', { body: { name } })).body.data.id as string;
  const path = `/v1/projects/${project}/files/content?path=${name}.csv`;
  const file = await client.call('PUT', path, { body: { content: 'a\n1\n2\n' } });
  const { files } = workspace.activityDeps;
  const begun = Promise.withResolvers<void>();
  const held = Promise.withResolvers<never>();
  const staging = vi.spyOn(files, 'stage').mockImplementationOnce(() => {
    begun.resolve();
    return held.promise;
  });
  const started = await client.call('POST', `/v1/projects/${project}/files/${file.body.data.id}/imports`, {
    body: { table_name: name },
  });
  const { id } = started.body.data as { id: string };
  await begun.promise;
  await workspace.temporal.workflow.getHandle(importProcess.workflowId(id)).terminate();
  held.reject(new Error('Its process was ended.'));
  staging.mockRestore();
  const row = await inOrganization(workspace.deps.db, client.organizationId, (db) =>
    getTableImport(db, client.organizationId, id),
  );
  await stageImport(workspace.activityDeps, row, () => undefined, new AbortController().signal);
  const { commitTableImport } = tableImportLakeActivities(workspace.activityDeps);
  const commit = (attempt: number) =>
    new MockActivityEnvironment({ attempt }).run(commitTableImport, {
      organizationId: client.organizationId,
      importId: id,
    });
  const state = async () => (await client.call('GET', `/v1/table-imports/${id}`)).body.data;
  return { client, row, commit, state };
}

test('a commit that cannot succeed is tried eighty times, and then given up', async () => {
  const { client, row, commit, state } = await stagedImport('never');
  const reading = vi.spyOn(workspace.activityDeps.objects, 'read').mockRejectedValue(new Error('unknown'));
  await expect(commit(80)).rejects.toThrow('unknown');
  expect(await state()).toMatchObject({ status: 'running' });
  expect(await commit(81)).toMatchObject({ status: 'failed' });
  reading.mockRestore();
  expect(await state()).toMatchObject({ status: 'failed', error: { code: 'internal_error' } });
  expect((await client.call('GET', `/v1/grid/tables/${row.table_id}`)).status).toBe(404);
});

test('what the lake has is never given up', async () => {
  const { client, row, commit, state } = await stagedImport('late');
  const { catalogPool } = workspace.deps.lake;
  const removing = vi.spyOn(workspace.activityDeps.objects, 'remove').mockRejectedValueOnce(new Error());
  await expect(commitImport(workspace.activityDeps, row)).rejects.toThrow();
  removing.mockRestore();
  // As if the outcome had not been recorded either.
  await catalogPool.query(`UPDATE table_imports SET status = 'running' WHERE id = $1`, [row.id]);
  await catalogPool.query(`UPDATE runs SET status = 'running' WHERE id = $1`, [row.id]);
  expect(await commit(81)).toMatchObject({ status: 'succeeded' });
  expect(await state()).toMatchObject({ status: 'succeeded', rowsImported: 2 });
  const status = await client.call('GET', `/v1/grid/tables/${row.table_id}/status`);
  expect(status.body.data.rowCount).toBe(2);
});
