import { expect, test, vi } from 'vitest';
import { derivedId, newId } from '../../data/ids.ts';
import { inOrganization } from '../../data/postgres/client.ts';
import { importProcess } from '../../domain/intake/file-imports/process.ts';
import { importSteps } from '../../domain/intake/file-imports/reconcile.ts';
import { commitImport, stageImport } from '../../domain/intake/file-imports/run.ts';
import { getTableImport } from '../../domain/intake/file-imports/table-imports.ts';
import { tableSteps } from '../../domain/tables/tables/reconcile.ts';
import { findTable, reserveTable } from '../../domain/tables/tables/registry.ts';
import { eventually } from '../support/eventually.ts';
import { reconcile } from '../support/reconcile.ts';
import { useWorker } from '../support/worker.ts';
import { type TestClient, useOrganization, useOwnWorkspace } from '../support/workspace.ts';

const workspace = useOwnWorkspace();
useWorker(workspace);
const client = useOrganization(workspace);

const reviveImports = (olderThanSeconds?: number) =>
  reconcile(workspace, importSteps(workspace.deps, olderThanSeconds));
const resolveTables = () => reconcile(workspace, tableSteps(workspace.deps));

async function beginImport(client: TestClient, name: string, content: string, options: object = {}) {
  const project = (await client.call('POST', '/v1/projects', { body: { name } })).body.data.id as string;
  const path = `/v1/projects/${project}/files/content?path=${name}.csv`;
  const file = await client.call('PUT', path, { body: { content } });
  const started = await client.call('POST', `/v1/projects/${project}/files/${file.body.data.id}/imports`, {
    body: { table_name: name, ...options },
  });
  expect(started.status, started.text).toBe(202);
  return started.body.data as { id: string; tableId: string };
}

async function importOf(client: TestClient, id: string) {
  return (await client.call('GET', `/v1/table-imports/${id}`)).body.data;
}

async function endOf(client: TestClient, id: string) {
  return eventually(
    () => importOf(client, id),
    ({ status }) => ['succeeded', 'failed', 'cancelled'].includes(status),
  );
}

/** An import whose staging hangs until the test releases it. */
function holdStaging() {
  const { files } = workspace.activityDeps;
  const real = files.stage;
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const spy = vi.spyOn(files, 'stage').mockImplementationOnce(async (...input) => {
    begun.resolve();
    await held.promise;
    return real(...input);
  });
  return { begun: begun.promise, release: held.resolve, spy };
}

async function age(statement: string, id: string): Promise<void> {
  await workspace.deps.lake.catalogPool.query(statement, [id]);
}

test('an import whose process was ended by force is cancelled, and its table may be imported anew', async () => {
  const staging = holdStaging();
  const { id } = await beginImport(client, 'forced', 'a\n1\n');
  await staging.begun;
  await workspace.temporal.workflow.getHandle(importProcess.workflowId(id)).terminate();
  expect((await importOf(client, id)).status).toBe('running');
  await reviveImports(0);
  staging.release();
  expect(await endOf(client, id)).toMatchObject({ status: 'cancelled', error: null });
  const again = await beginImport(client, 'forced', 'a\n1\n');
  expect(await endOf(client, again.id)).toMatchObject({ status: 'succeeded', rowsImported: 1 });
});

test('an import that runs, or has just been asked for, is left alone', async () => {
  const staging = holdStaging();
  const { id } = await beginImport(client, 'running', 'a\n1\n');
  await staging.begun;
  await reviveImports(0);
  staging.release();
  expect(await endOf(client, id)).toMatchObject({ status: 'succeeded' });
});

test('an import whose process nobody knows any more goes on in a new one', async () => {
  const { id, tableId } = await beginImport(client, 'lost', 'a\n1\n2\n');
  await workspace.temporal.workflow.getHandle(importProcess.workflowId(id)).result();
  // As if the server had lost it while it ran: it has no history, and its table does not exist yet.
  const lost = derivedId('imp', Date.now(), id);
  const copied = await workspace.deps.lake.catalogPool.query(
    `INSERT INTO table_imports SELECT (jsonb_populate_record(i, jsonb_build_object('id', $2::text, 'status', 'running',
       'mode', 'replace', 'finished_at', null, 'created_at', now() - interval '2 minutes', 'rows_imported', 0))).*
     FROM table_imports i WHERE i.id = $1`,
    [id, lost],
  );
  expect(copied.rowCount).toBe(1);
  await workspace.deps.lake.catalogPool.query(
    `INSERT INTO runs SELECT (jsonb_populate_record(r, jsonb_build_object('id', $2::text, 'status', 'running',
       'workflow_id', $3::text, 'finished_at', null, 'created_at', now() - interval '2 minutes'))).*
     FROM runs r WHERE r.id = $1`,
    [id, lost, importProcess.workflowId(lost)],
  );
  await reviveImports();
  expect(await endOf(client, lost)).toMatchObject({ status: 'succeeded', tableId, rowsImported: 2 });
});

test.each([
  ['nobody knows any more', false],
  ['was ended by force', true],
])(
  'an import that is in the lake when its process %s is told as it is, and keeps its rows',
  async (_, isForced) => {
    const client = await workspace.organization();
    const staging = isForced ? holdStaging() : undefined;
    const { id, tableId } = await beginImport(client, 'landed', 'a\n1\n2\n');
    if (staging !== undefined) {
      await staging.begun;
      await workspace.temporal.workflow.getHandle(importProcess.workflowId(id)).terminate();
      // A lingering attempt of the process gets as far as the commit, and no further; another attempt, which
      // cannot know that it is over, continues after that, and has no effect.
      const late = holdStaging();
      const row = await inOrganization(workspace.deps.db, client.organizationId, (db) =>
        getTableImport(db, client.organizationId, id),
      );
      const stage = () =>
        stageImport(workspace.activityDeps, row, () => undefined, new AbortController().signal);
      const lateTry = stage();
      await late.begun;
      const { table } = await stage();
      await commitImport(workspace.activityDeps, row);
      late.release();
      await lateTry;
      const { objects } = workspace.deps;
      for (const { url } of table.files)
        expect(await objects.head(url.slice(`s3://${objects.settings.bucket}/`.length))).toBeDefined();
      staging.release();
    } else await workspace.temporal.workflow.getHandle(importProcess.workflowId(id)).result();
    const { catalogPool, catalog } = workspace.deps.lake;
    const { schema } = await catalog.get(client.organizationId);
    const manifest = { table: { rows: 2 }, quarantine: undefined };
    const key = `imports/${client.organizationId}/${id}.json`;
    await workspace.deps.objects.put(key, Buffer.from(JSON.stringify(manifest)), 'application/json');
    for (const rows of ['table_imports', 'runs'])
      await catalogPool.query(
        `UPDATE ${rows} SET status = 'running', finished_at = NULL, created_at = now() - interval '2 minutes' WHERE id = $1`,
        [id],
      );
    await reviveImports();
    expect(await endOf(client, id)).toMatchObject({ status: 'succeeded', tableId, rowsImported: 2 });
    const rows = await client.call('GET', `/v1/tables/${tableId}/rows`);
    expect([rows.status, rows.body.items]).toMatchObject([200, [{ a: 1 }, { a: 2 }]]);
    const { rowCount } = await catalogPool.query(
      `SELECT FROM "${schema}".workspace_operation WHERE table_id = $1`,
      [tableId],
    );
    expect(rowCount).toBe(1);
  },
);

test('one broken lake keeps nobody else from being settled', async () => {
  const tables = await Promise.all(
    [1, 2, 3].map(async (number) => {
      const { organizationId } = await workspace.organization();
      const id = newId('tbl');
      await inOrganization(workspace.deps.db, organizationId, (db) =>
        reserveTable(db, { organization_id: organizationId, id, name: `t${number}`, kind: 'data' }),
      );
      await age(`UPDATE tables SET updated_at = now() - interval '2 minutes' WHERE id = $1`, id);
      return { organizationId, id };
    }),
  );
  const [broken, ...others] = tables;
  const { catalog } = workspace.activityDeps.lake;
  const real = catalog.get.bind(catalog);
  const spy = vi.spyOn(catalog, 'get').mockImplementation(async (organizationId) => {
    if (organizationId === broken!.organizationId) throw new Error('The lake is broken.');
    return real(organizationId);
  });
  await resolveTables();
  spy.mockRestore();
  const find = ({ organizationId, id }: (typeof tables)[number]) =>
    inOrganization(workspace.deps.db, organizationId, (db) => findTable(db, organizationId, id));
  expect(await find(broken!)).toMatchObject({ status: 'creating' });
  expect(await Promise.all(others.map(find))).toEqual([undefined, undefined]);
});

test('the quarantine table of an import whose commit waits for minutes stays reserved', async () => {
  const { engine } = workspace.activityDeps.lake;
  const real = engine.use.bind(engine);
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const { id } = await beginImport(client, 'waits', 'a\n1\nx\n', {
    on_bad_row: 'quarantine',
    column_mappings: [{ source_column_name: 'a', target_column_name: 'a', data_type: 'INTEGER' }],
  });
  const spy = vi.spyOn(engine, 'use').mockImplementation(async (location, work, given) => {
    if (location.organizationId === client.organizationId) {
      begun.resolve();
      await held.promise;
    }
    return real(location, work, given);
  });
  await begun.promise;
  await age(
    `UPDATE tables SET updated_at = now() - interval '2 minutes' WHERE organization_id = $1`,
    client.organizationId,
  );
  await resolveTables();
  spy.mockRestore();
  held.resolve();
  const done = await endOf(client, id);
  expect(done).toMatchObject({ status: 'succeeded', rowsImported: 1, rowsQuarantined: 1 });
  const kept = await client.call('GET', `/v1/tables/${done.quarantineTableId}`);
  expect([kept.status, kept.body.data.rowCount]).toEqual([200, 1]);
});
