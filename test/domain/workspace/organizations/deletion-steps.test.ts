import { globSync, readFileSync } from 'node:fs';
import { MockActivityEnvironment } from '@temporalio/testing';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { organizationDeletionControlActivities } from '../../../../activities/workspace/control.ts';
import { organizationDeletionLakeActivities } from '../../../../activities/workspace/lake.ts';
import { removeSomeTables } from '../../../../data/lake/remove.ts';
import { appHealthStart } from '../../../../domain/workspace/apps/process.ts';
import { endHold, holdRemovals } from '../../../../domain/workspace/backups/hold.ts';
import { sharedFolders } from '../../../../domain/workspace/organizations/deletion/objects.ts';
import { childrenFirst, removeSomeRows } from '../../../../domain/workspace/organizations/deletion/rows.ts';
import {
  beginDeletion,
  keepOrganization,
  planDeletion,
} from '../../../../domain/workspace/organizations/deletion/states.ts';
import { pauseAutomation, resumeAutomation } from '../../../../domain/workspace/pause/pause.ts';
import { type Filled, filled, nothing, remainsOf } from '../../../support/organization-shapes.ts';
import { useWorker } from '../../../support/worker.ts';
import { useOwnWorkspace } from '../../../support/workspace.ts';

const workspace = useOwnWorkspace();
useWorker(workspace);

let gone: Filled;
let organizationId: string;
let lake: { organizationId: string; lake: string };

beforeAll(async () => {
  gone = await filled(workspace, 'Gone');
  ({ organizationId } = gone.client);
  lake = { organizationId, lake: gone.lake };
}, 300_000);

/** The activities, as a worker calls them. */
function steps() {
  const on = {
    ...organizationDeletionControlActivities(workspace.activityDeps),
    ...organizationDeletionLakeActivities(workspace.activityDeps),
  };
  const call = <Given extends unknown[], Answer>(step: (...given: Given) => Promise<Answer>) => {
    return (...given: Given): Promise<Answer> => new MockActivityEnvironment().run(step, ...given);
  };
  return {
    endProcesses: call(on.endProcesses),
    endCredentials: call(on.endCredentials),
    endLakeSessions: call(on.endLakeSessions),
    removeLakeTables: call(on.removeLakeTables),
    removeLakeRoles: call(on.removeLakeRoles),
    removeRows: call(on.removeRows),
    removeObjects: call(on.removeObjects),
    finish: call(on.finishDeletion),
  };
}

test('each move is made from the right state alone', async () => {
  const { db } = workspace.deps;
  const { organizationId: id } = await workspace.organization('Moved');
  expect(await beginDeletion(db, id)).toEqual({ kind: 'kept' });
  expect(await beginDeletion(db, 'org_none')).toEqual({ kind: 'gone' });
  await planDeletion(db, id, 100);
  expect(await beginDeletion(db, id)).toMatchObject({ kind: 'waits', waitMs: expect.any(Number) });
  await keepOrganization(db, id);
  expect(await beginDeletion(db, id)).toEqual({ kind: 'kept' });
  await planDeletion(db, id, 0);
  // As in a restored backup, which may be there for this very organization.
  await pauseAutomation(db);
  expect(await beginDeletion(db, id)).toEqual({ kind: 'paused' });
  await resumeAutomation(db, 'here');
  const raced = await Promise.allSettled([
    beginDeletion(db, id),
    beginDeletion(db, id),
    keepOrganization(db, id),
  ]);
  const begun = await beginDeletion(db, id);
  expect(raced[2]!.status).toBe(begun.kind === 'begun' ? 'rejected' : 'fulfilled');
  if (begun.kind !== 'begun') {
    await planDeletion(db, id, 0);
    expect(await beginDeletion(db, id)).toEqual({ kind: 'begun', lake: null });
  }
  await expect(keepOrganization(db, id)).rejects.toMatchObject({ code: 'conflict' });
  await expect(planDeletion(db, id, 9)).rejects.toMatchObject({ code: 'conflict' });
  await expect(planDeletion(db, 'org_none', 9)).rejects.toMatchObject({ code: 'not_found' });
  const { catalog, catalogPool: pool } = workspace.deps.lake;
  // What is left of work under way makes no lake.
  await expect(catalog.get(id)).rejects.toMatchObject({ code: 'organization_suspended' });
  await expect(
    pool.query('UPDATE organizations SET suspended_at = NULL WHERE id = $1', [id]),
  ).rejects.toThrow(/organizations_deleted_suspended/);
});

test('in any order, interrupted and repeated, everything goes in the end', { timeout: 300_000 }, async () => {
  const on = steps();
  const { db, processes, lake: lakes } = workspace.deps;
  await planDeletion(db, organizationId, 0);
  expect(await beginDeletion(db, organizationId)).toEqual({ kind: 'begun', lake: gone.lake });
  await expect(processes.restart(appHealthStart(organizationId))).rejects.toMatchObject({
    code: 'organization_suspended',
  });

  // Of several kinds, as far as they run just now.
  await on.endProcesses(organizationId);
  expect(await on.finish(organizationId)).toBe('again');

  await holdRemovals(db, 'copying');
  onTestFinished(() => endHold(db, 'copying'));
  const before = (await remainsOf(workspace, gone)).objects.length;
  expect(await on.removeObjects(organizationId, gone.lake)).toBe('held');
  expect((await remainsOf(workspace, gone)).objects.length).toBe(before);
  await endHold(db, 'copying');

  // Over before it has removed the rest.
  let looks = 0;
  const cut = await removeSomeRows(lakes.catalogPool, organizationId, () => {
    looks += 1;
    return looks > 9;
  });
  expect(cut.next).not.toBeNull();
  const begun = await remainsOf(workspace, gone);
  expect(Object.keys(begun.rows)).toContain('organizations');
  expect(await on.finish(organizationId)).toBe('again');

  // The lake is cut in the middle, and its credentials are still there.
  await lakes.catalogPool.query(
    `DO $$ BEGIN FOR n IN 1..120 LOOP EXECUTE format('CREATE TABLE ${gone.lake}.inlined_%s (n int)', n); END LOOP; END $$`,
  );
  const first = await removeSomeTables(lakes.catalogPool, { organizationId, schema: gone.lake });
  expect(first).toEqual({ removed: 50, left: expect.any(Number) });
  expect(first.left).toBeGreaterThan(80);
  await on.removeObjects(organizationId, gone.lake);
  expect(await on.finish(organizationId)).toBe('again');

  for (let round = 0; round < 2; round += 1) {
    expect(await on.endProcesses(organizationId)).toBeGreaterThanOrEqual(0);
    await on.endCredentials(organizationId);
    await on.endLakeSessions(lake);
    expect((await on.removeLakeTables(lake)).left).toBeNull();
    expect(await on.removeLakeRoles(lake)).toEqual([]);
    const { rows, next } = await on.removeRows(organizationId);
    expect(next).toBeNull();
    if (round === 1) expect(rows).toBe(0);
    expect(await on.removeObjects(organizationId, gone.lake)).toBe('removed');
  }
  expect(await remainsOf(workspace, gone)).toEqual({ ...nothing, rows: { lakes: 1, organizations: 1 } });
  expect(await on.finish(organizationId)).toBe('gone');
  expect(await on.finish(organizationId)).toBe('gone');
  expect(await remainsOf(workspace, gone)).toEqual(nothing);
  expect(await beginDeletion(db, organizationId)).toEqual({ kind: 'gone' });
});

test('tables are emptied before those that they refer to, and a circle is told', () => {
  const to = (from: string, target: string) => ({ from, to: target });
  const order = childrenFirst(['parents', 'children', 'others'], [to('children', 'parents')]);
  expect(order.indexOf('children')).toBeLessThan(order.indexOf('parents'));
  expect(() => childrenFirst(['a', 'b', 'c'], [to('a', 'b'), to('b', 'a')])).toThrow(
    'These tables refer to each other: a, b.',
  );
});

/** Keys of processes, of caches and of limits look like those of objects. */
const otherKeys = ['data/processes/', 'api/plugins/rate-limit.ts', 'domain/tables/rows/append-queue.ts'];

test('every key of an object that the code makes is below a prefix that is removed', () => {
  const key = /`([^`$\s]*)\$\{(?:[\w.]*\.)?(?:organizationId|organization_id)\}\//g;
  const found = new Set<string>();
  for (const file of globSync('{activities,api,data,domain,service,worker}/**/*.ts')) {
    if (otherKeys.some((other) => file.startsWith(other))) continue;
    for (const [, before] of readFileSync(file, 'utf8').matchAll(key)) found.add(before!);
  }
  // The results of workflows are below the id itself, and the backup reads what it copies.
  const known = new Set([...sharedFolders.map((folder) => `${folder}/`), '']);
  expect([...found].filter((before) => !known.has(before))).toEqual([]);
  expect([...known].filter((before) => !found.has(before))).toEqual([]);
});
