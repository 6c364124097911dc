import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, onTestFinished, test } from 'vitest';
import { lakeMaintenanceLakeActivities } from '../../../../activities/tables/lake.ts';
import { areRemovalsHeld, endHold, holdRemovals } from '../../../../domain/workspace/backups/hold.ts';
import { fileSteps } from '../../../../domain/workspace/files/reconcile.ts';
import { removeUnneeded } from '../../../../domain/workspace/files/remove-unneeded.ts';
import { reconcile } from '../../../support/reconcile.ts';
import { useOwnWorkspace } from '../../../support/workspace.ts';

const workspace = useOwnWorkspace();

test('while a backup copies, nothing that it may name is removed; afterwards it is', async () => {
  const { db, objects } = workspace.deps;
  const { organizationId } = await workspace.organization();
  const prefix = `batches/${organizationId}/bat_1/`;
  const put = () => objects.put(`${prefix}page`, Buffer.from('x'), 'text/plain');
  const left = async () => (await objects.list(prefix, 10)).length;
  await put();
  await removeUnneeded(workspace.deps, organizationId, prefix);
  expect(await left()).toBe(0);

  await put();
  await holdRemovals(db, 'one');
  await holdRemovals(db, 'two');
  onTestFinished(() => endHold(db, 'two'));
  await removeUnneeded(workspace.deps, organizationId, prefix);
  await reconcile(workspace, fileSteps(workspace.deps));
  const maintenance = lakeMaintenanceLakeActivities(workspace.activityDeps, {
    intervalSeconds: 60,
    retentionDays: 7,
  });
  for (const step of ['expireLakeSnapshots', 'removeOldLakeFiles', 'removeLakeOrphans'] as const)
    expect(
      await new MockActivityEnvironment().run(maintenance[step], { organizationId }, null),
    ).toMatchObject({
      figures: {},
      next: null,
    });
  expect(await left()).toBe(1);
  await endHold(db, 'one');
  await reconcile(workspace, fileSteps(workspace.deps));
  expect(await left()).toBe(1);
  await endHold(db, 'two');
  await reconcile(workspace, fileSteps(workspace.deps));
  expect(await left()).toBe(0);
});

test('a backup that was killed holds nothing for long', async () => {
  const { db } = workspace.deps;
  await holdRemovals(db, 'killed');
  expect(await areRemovalsHeld(db)).toBe(true);
  await workspace.deps.lake.catalogPool.query(`UPDATE backup_holds SET until = now() - interval '1 second'`);
  expect(await areRemovalsHeld(db)).toBe(false);
});
