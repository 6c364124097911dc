import { expect, test, vi } from 'vitest';
import { newId } from '../../data/ids.ts';
import { inOrganization, type OrganizationTransaction } from '../../data/postgres/client.ts';
import { commitSnapshot } from '../../domain/intake/datasets/commit.ts';
import { workflowIdOf } from '../../domain/intake/datasets/process.ts';
import { snapshotSteps } from '../../domain/intake/datasets/reconcile.ts';
import { stageSnapshot } from '../../domain/intake/datasets/run.ts';
import { getSnapshotRun, moveSnapshot } from '../../domain/intake/datasets/snapshot-runs.ts';
import { runSteps } from '../../domain/workspace/runs/reconcile.ts';
import { findRun } from '../../domain/workspace/runs/runs.ts';
import { reconcile } from '../support/reconcile.ts';
import { attach, rowsOf, startSnapshot, untilStatus } from '../support/snapshots.ts';
import { useSourceDatabase } from '../support/source-database.ts';
import { useWorker } from '../support/worker.ts';
import { type TestClient, useOwnWorkspace } from '../support/workspace.ts';

const workspace = useOwnWorkspace({}, () => ({ ALLOWED_PRIVATE_ADDRESSES: '127.0.0.0/8' }));
useWorker(workspace);
const source = useSourceDatabase();

const revive = () =>
  reconcile(workspace, [...snapshotSteps(workspace.deps, 0), ...runSteps(workspace.deps, 0)]);

/** A snapshot whose copy hangs until the test releases it. */
function holdCopy() {
  const { copier } = workspace.activityDeps;
  const real = copier.copy;
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const spy = vi.spyOn(copier, 'copy').mockImplementationOnce(async (...input) => {
    begun.resolve();
    await Promise.race([held.promise, new Promise((resolve) => input[2].addEventListener('abort', resolve))]);
    return real(...input);
  });
  return { begun: begun.promise, release: held.resolve, restore: () => spy.mockRestore() };
}

async function datasetOf(client: TestClient, name: string) {
  await source.run(`CREATE TABLE shop.${name} (a int)`, `INSERT INTO shop.${name} VALUES (1), (2)`);
  return attach(client, await source.connect(client), `shop.${name}`);
}

const rowOf = (client: TestClient, run: string) =>
  inOrganization(workspace.deps.db, client.organizationId, (db) =>
    getSnapshotRun(db, client.organizationId, run.split('/').at(-1)!),
  );

test('a snapshot whose process was ended by force is cancelled, and leaves nothing', async () => {
  const client = await workspace.organization();
  const { at, dataset } = await datasetOf(client, 'ended');
  const copy = holdCopy();
  const run = await startSnapshot(client, at);
  await copy.begun;
  const row = await rowOf(client, run);
  await workspace.temporal.workflow.getHandle(workflowIdOf(row)).terminate();
  await revive();
  expect((await untilStatus(client, run, 'cancelled')).error).toBeNull();
  copy.release();
  copy.restore();
  // The name that it had reserved is free: the next one takes it.
  const again = await untilStatus(client, await startSnapshot(client, at), 'succeeded');
  expect(again.snapshotTableName).toBe(dataset.snapshotTableName);
});

test('a snapshot that the lake has already is told as succeeded, once', async () => {
  const client = await workspace.organization();
  const { at, dataset } = await datasetOf(client, 'committed');
  const copy = holdCopy();
  const run = await startSnapshot(client, at);
  await copy.begun;
  const queued = await rowOf(client, run);
  await workspace.temporal.workflow.getHandle(workflowIdOf(queued)).terminate();
  copy.release();
  copy.restore();
  const { signal } = new AbortController();
  await stageSnapshot(workspace.deps, queued, () => undefined, signal);
  // The process was lost between the commit and the update of the row.
  const lost = vi.spyOn(workspace.deps.objects, 'remove').mockRejectedValueOnce(new Error('lost'));
  await commitSnapshot(workspace.deps, await rowOf(client, run)).catch(() => undefined);
  lost.mockRestore();
  await inOrganization(workspace.deps.db, client.organizationId, async (db) => {
    for (const rows of ['snapshot_runs', 'runs'] as const)
      await db
        .updateTable(rows)
        .set({ status: 'running', finished_at: null })
        .where('organization_id', '=', client.organizationId)
        .where('id', '=', queued.id)
        .execute();
  });
  await revive();
  const shown = await untilStatus(client, run, 'succeeded');
  expect(shown).toMatchObject({ rowsCopied: 2, tableVersion: expect.any(Number) });
  expect(await rowsOf(client, `SELECT a FROM ${dataset.snapshotTableName} ORDER BY a`)).toEqual([
    { a: 1 },
    { a: 2 },
  ]);
});

test('a cancel that its process did not hear is asked again', async () => {
  const client = await workspace.organization();
  const { at } = await datasetOf(client, 'unheard');
  const copy = holdCopy();
  const run = await startSnapshot(client, at);
  await copy.begun;
  const lost = vi.spyOn(workspace.deps.processes, 'cancel').mockRejectedValueOnce(new Error('lost'));
  expect((await client.call('POST', `${run}/cancel?confirm=true`)).status).toBe(202);
  lost.mockRestore();
  await revive();
  await untilStatus(client, run, 'cancelled');
  copy.restore();
});

test('a snapshot that the release before began has a run as any other', async () => {
  const client = await workspace.organization();
  const { at } = await datasetOf(client, 'before');
  const run = await startSnapshot(client, at);
  await untilStatus(client, run, 'succeeded');
  const row = await rowOf(client, run);
  const id = newId('snp');
  const inOrg = <T>(work: (db: OrganizationTransaction) => Promise<T>) =>
    inOrganization(workspace.deps.db, client.organizationId, work);
  await inOrg((db) =>
    db
      .insertInto('snapshot_runs')
      .values({
        ...{ ...row, id, status: 'queued', finished_at: null },
        ...{ schema_changes: '[]', error: null, reading: null, warnings: '[]' },
      })
      .execute(),
  );
  const made = await inOrg((db) => findRun(db, client.organizationId, id));
  expect(made).toMatchObject({
    kind: 'snapshot',
    status: 'queued',
    project_id: null,
    workflow_id: workflowIdOf({ ...row, id }),
  });
});

test('a move from where a snapshot is not changes nothing', async () => {
  const client = await workspace.organization();
  const { at } = await datasetOf(client, 'moved');
  const run = await startSnapshot(client, at);
  await untilStatus(client, run, 'succeeded');
  const row = await rowOf(client, run);
  const moved = await inOrganization(workspace.deps.db, client.organizationId, (db) =>
    moveSnapshot(db, row, 'running', 'failed'),
  );
  expect(moved).toBeUndefined();
  expect((await rowOf(client, run)).status).toBe('succeeded');
});
