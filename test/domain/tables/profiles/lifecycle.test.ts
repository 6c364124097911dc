import { expect, test } from 'vitest';
import { AppError } from '../../../../data/errors.ts';
import { newId } from '../../../../data/ids.ts';
import { EngineCrashLoopError } from '../../../../data/lake/engine/failure.ts';
import { inOrganization } from '../../../../data/postgres/client.ts';
import type { ComputedProfile } from '../../../../domain/tables/profiles/compute.ts';
import {
  beginProfile,
  endProfile,
  keepProfile,
  recordFinalFailure,
  reportProgress,
} from '../../../../domain/tables/profiles/lifecycle.ts';
import { startProfile } from '../../../../domain/tables/profiles/start.ts';
import { askToCancel } from '../../../../domain/workspace/runs/cancel.ts';
import { findRun } from '../../../../domain/workspace/runs/runs.ts';
import { madeTable } from '../../../support/grants.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

/** No worker takes part: every step is the test's. */
const workspace = useWorkspace();

const profile: ComputedProfile = { version: 3, rowCount: 1, sampled: false, columns: [] };

async function started(client: TestClient, name: string) {
  const { organizationId } = client;
  const tableId = await madeTable(client, name);
  const request = { organizationId, tableId, runId: newId('run'), callerId: client.clientId, memo: {} };
  await startProfile(workspace.deps, request);
  return { organizationId, tableId, runId: request.runId };
}

const runOf = ({ organizationId, runId }: { organizationId: string; runId: string }) =>
  inOrganization(workspace.deps.db, organizationId, (db) => findRun(db, organizationId, runId));

test('two profiles of an organization are computed at once; the end of one lets another begin', async () => {
  const { db } = workspace.deps;
  const client = await workspace.organization();
  const ids = [await started(client, 'a'), await started(client, 'b'), await started(client, 'c')];
  const turns = await Promise.all(ids.map((id) => beginProfile(db, id)));
  expect(turns.toSorted()).toEqual(['begun', 'begun', 'waiting']);
  const [begun, waiting] = [ids[turns.indexOf('begun')]!, ids[turns.indexOf('waiting')]!];
  expect(await beginProfile(db, begun)).toBe('begun');
  expect((await runOf(waiting))!.status).toBe('queued');
  await keepProfile(db, begun, profile);
  expect(await beginProfile(db, waiting)).toBe('begun');
  expect(await beginProfile(db, begun)).toBe('ended');
  const other = await started(await workspace.organization(), 'a');
  expect(await beginProfile(db, other)).toBe('begun');
});

test('a run that was cancelled never begins, and keeps nothing', async () => {
  const { db } = workspace.deps;
  const client = await workspace.organization();
  const id = await started(client, 'a');
  expect(await beginProfile(db, id)).toBe('begun');
  await inOrganization(db, id.organizationId, (transaction) =>
    askToCancel(transaction, id.organizationId, id.runId),
  );
  expect(await beginProfile(db, id)).toBe('ended');
  expect(await endProfile(db, id, 'cancelled')).toMatchObject({ status: 'cancelled', error: null });
  // An attempt that lingers.
  await keepProfile(db, id, profile);
  expect((await runOf(id))!.status).toBe('cancelled');
  expect((await client.call('GET', `/v1/tables/${id.tableId}/profile`)).status).toBe(409);
  expect(await endProfile(db, id, 'failed')).toMatchObject({ status: 'cancelled' });
});

test('progress is told in columns, and what cannot be retried ends the run with its reason', async () => {
  const { db } = workspace.deps;
  const client = await workspace.organization();
  const id = await started(client, 'a');
  await beginProfile(db, id);
  await reportProgress(db, id, { columnsDone: 10, columns: 40 });
  expect(await runOf(id)).toMatchObject({ progress: 0.25, steps: [{ detail: '10 of 40 columns' }] });
  const shown = await client.call('GET', `/v1/tables/${id.tableId}/profile`);
  expect(shown.body).toMatchObject({ code: 'not_materialized', detail: expect.stringContaining('25 %') });
  for (const transient of [new Error('IO Error: gone'), new AppError('version_expired', 'gone')])
    expect(await recordFinalFailure(db, id, transient)).toBeUndefined();
  const failure = await recordFinalFailure(db, id, new EngineCrashLoopError('stopped twice'));
  expect(failure).toMatchObject({ code: 'engine_failed' });
  expect(await endProfile(db, id, 'failed')).toMatchObject({ status: 'failed', error: failure });
  const after = await client.call('GET', `/v1/tables/${id.tableId}/profile`);
  expect(after.body.detail).toContain('engine_failed');
  const next = await started(client, 'b');
  expect(await endProfile(db, next, 'failed')).toMatchObject({ error: { code: 'internal_error' } });
  expect(await endProfile(db, { ...next, runId: newId('run') }, 'failed')).toBeUndefined();
});
