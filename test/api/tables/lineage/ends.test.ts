import { beforeAll, expect, test } from 'vitest';
import { newId } from '../../../../data/ids.ts';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { insertReport, type NewReport } from '../../../../domain/publishing/reports/reports.ts';
import type { End, FindEnds } from '../../../../domain/tables/lineage/ends.ts';
import { lineageOf as lineageOfTable } from '../../../../domain/tables/lineage/lineage.ts';
import { shaping } from '../../../support/calculated.ts';
import { imported, importInto, lineageFor, pathOf } from '../../../support/lineage.ts';
import { personOf } from '../../../support/people.ts';
import { recordPolicy, recordSource } from '../../../support/replication-source.ts';
import { attach, snapshotOf } from '../../../support/snapshots.ts';
import { connect } from '../../../support/sources.ts';
import { useWorker } from '../../../support/worker.ts';
import { graphOf, node, workflowsOf } from '../../../support/workflows.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);
let client: TestClient;
let on: ReturnType<typeof shaping>;
let project: string;

beforeAll(async () => {
  client = await workspace.organization();
  on = shaping(client);
  project = (await client.call('POST', '/v1/projects', { body: { name: 'Ends' } })).body.data.id;
});

const lineageOf = (id: string, query = '', by: Pick<TestClient, 'call'> = client) =>
  lineageFor(by, id, query);
const ends = (found: Awaited<ReturnType<typeof lineageOf>>) =>
  found.nodes.filter(({ kind }) => kind !== 'table').map(({ id, kind, name }) => ({ id, kind, name }));

async function report(tableId: string, more: Partial<NewReport> = {}): Promise<string> {
  const id = newId('rpt');
  const written: NewReport = {
    organizationId: client.organizationId,
    projectId: project,
    id,
    title: 'Sales',
    content: '# Sales',
    dataVersions: [{ tableId, version: 1 }],
    createdBy: client.clientId,
    writeId: id,
    source: 'api',
    sourceId: null,
    ...more,
  };
  await inOrganization(workspace.deps.db, client.organizationId, (db) => insertReport(db, written));
  return id;
}

test('files are those of the last import that replaced the table, and of the appends since', async () => {
  const mapping = (source: string, target: string) => ({
    source_column_name: source,
    target_column_name: target,
    data_type: 'STRING',
  });
  const {
    project: theirs,
    file,
    table,
  } = await imported(client, {
    path: 'first.csv',
    content: 'a,b\n1,2\n',
    tableName: 'filled',
  });
  const urlOf = async (path: string, content: string) => {
    const url = `/v1/projects/${theirs}/files`;
    const written = await client.call('PUT', `${url}/content?path=${path}`, { body: { content } });
    return `${url}/${written.body.data.id}`;
  };
  expect(ends(await lineageOf(table))).toEqual([{ id: file, kind: 'file', name: 'first.csv' }]);
  const second = await urlOf('second.csv', 'x,y\n1,2\n');
  await importInto(client, second, {
    table_id: table,
    mode: 'replace',
    column_mappings: [mapping('x', 'a'), mapping('y', 'b')],
  });
  const third = await urlOf('third.csv', 'A,b\n3,4\n');
  await importInto(client, third, { table_id: table, mode: 'append' });
  const found = await lineageOf(table);
  expect(
    ends(found)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(['second.csv', 'third.csv']);
  expect(pathOf(found, [second.split('/').at(-1)!, table])).toEqual([['x > a identity', 'y > b identity']]);
  expect(pathOf(found, [third.split('/').at(-1)!, table])).toEqual([['A > a identity', 'b > b identity']]);
  expect((await client.call('DELETE', `${third}?confirm=true`)).status).toBe(200);
  expect(ends(await lineageOf(table)).map(({ name }) => name)).toEqual(['second.csv']);
  expect(ends(await lineageOf(table, '?direction=downstream'))).toEqual([]);
});

test('a dataset leads to its table, by the names of the source', async () => {
  const source = await recordSource([{ id: 1, at: '2026-03-01T00:00:00Z', name: 'one' }]);
  const policy = recordPolicy({ field_mappings: { name: 'title' } });
  const config = { base_url: source.base, auth_type: 'none' };
  const more = { snapshot_config: { enabled: true, http_replication: policy } };
  const connection = await connect(client, 'http', config, more);
  const { at, dataset } = await attach(client, connection, '/records');
  const run = await snapshotOf(client, at);
  expect(run.status, JSON.stringify(run.error)).toBe('succeeded');
  const found = await lineageOf(run.tableId);
  expect(found.nodes).toMatchObject([
    { id: run.tableId, tableKind: 'snapshot', version: run.tableVersion },
    { id: dataset.id, kind: 'dataset', name: '/records', tableKind: null },
  ]);
  expect(pathOf(found, [dataset.id, run.tableId])).toEqual([
    ['at > at identity', 'id > id identity', 'name > title identity'],
  ]);
});

test('a report follows from the tables whose versions it was written from, and comes with its playbook', async () => {
  const table = await on.data('told', { a: 'INTEGER' });
  const view = await on.view('over_told', 'SELECT a FROM told');
  const playbook = await client.call('POST', `/v1/projects/${project}/playbooks`, {
    body: { title: 'How to tell', instructions: '- tell' },
  });
  const plain = await report(table, { title: 'Plain' });
  const made = await report(table, {
    title: 'Made',
    source: 'playbook',
    sourceId: playbook.body.data.id,
  });
  const found = await lineageOf(view, '?depth=1&direction=upstream');
  expect(ends(found).map(({ id }) => id)).toEqual([view]);
  const below = await lineageOf(table, '?direction=downstream');
  expect(new Set(ends(below).map(({ id }) => id))).toEqual(
    new Set([view, plain, made, playbook.body.data.id]),
  );
  expect(below.edges).toEqual(
    expect.arrayContaining([
      { from: table, to: plain, columns: [] },
      { from: table, to: made, columns: [] },
      { from: playbook.body.data.id, to: made, columns: [] },
    ]),
  );
  expect(ends(await lineageOf(table, '?direction=upstream'))).toEqual([]);
});

test('workflows follow from the tables in the statements of their active version; only their owner sees them', async () => {
  const table = await on.data('asked_by_flow', { a: 'INTEGER' });
  const spaced = await on.data('asked "by" flow', { a: 'INTEGER' });
  const unnamed = await on.data('asked_by', { a: 'INTEGER' });
  const workflows = workflowsOf(client, () => project);
  const sql = 'SELECT f.a FROM Asked_By_Flow f JOIN "asked ""by"" flow" g ON f.a = g.a';
  const active = await workflows.active(graphOf([node('rows', 'query', { sql })]), { title: 'Watch' });
  await workflows.draft(graphOf([node('rows', 'query', { sql })]), { title: 'Only a draft' });
  const made = await report(table, { title: 'By flow', source: 'workflow', sourceId: active.id });
  const found = await lineageOf(table);
  expect(found.edges).toEqual(
    expect.arrayContaining([
      { from: table, to: active.id, columns: [] },
      { from: table, to: made, columns: [] },
      { from: active.id, to: made, columns: [] },
    ]),
  );
  expect(ends(found)).toHaveLength(2);
  expect(ends(found)).toContainEqual({ id: active.id, kind: 'workflow', name: 'Watch' });
  expect(ends(await lineageOf(spaced)).map(({ id }) => id)).toEqual([active.id]);
  expect(ends(await lineageOf(unnamed))).toEqual([]);
  const admin = await personOf(workspace, client, 'admin');
  expect(ends(await lineageOf(table, '', admin)).map(({ id }) => id)).toEqual([made]);
});

test('a report that a workflow had the analyst write leads back to the workflow', async () => {
  const table = await on.data('told_by_analyst', { a: 'INTEGER' });
  await on.append(table, [{ s_id: 1, a: 1 }]);
  const attached = { table_id: table };
  await on.must('POST', `/v1/projects/${project}/catalog-entries`, 201, attached);
  const workflows = workflowsOf(client, () => project);
  const prompt = 'How many rows are in told_by_analyst?';
  const active = await workflows.active(graphOf([node('tell', 'report', { prompt })]), { title: 'Tell' });
  const run = await workflows.ran(active.id);
  expect(run.status, JSON.stringify(run)).toBe('succeeded');
  const found = await lineageOf(table);
  const told = found.nodes.find(({ kind }) => kind === 'report')!;
  expect(found.edges).toEqual([
    { from: table, to: told.id, columns: [] },
    { from: active.id, to: told.id, columns: [] },
  ]);
});

test('a graph of more than 2,000 nodes is cut by distance, and says so', async () => {
  const table = await on.data('popular', { a: 'INTEGER' });
  const view = await on.view('over_popular', 'SELECT a FROM popular');
  const uses: FindEnds = async (_db, { of }) =>
    of.flatMap(({ id: from }) =>
      Array.from({ length: 1_500 }, (_, index): End => {
        const node = { id: `${from}/${index}`, kind: 'report' as const, name: 'A report' };
        return { node, edge: { from, to: node.id, columns: [] } };
      }),
    );
  const { organizationId, clientId: callerId } = client;
  const found = await lineageOfTable(
    { ...workspace.deps, lineageEnds: { sources: [], uses: [uses], makers: [] } },
    { organizationId, callerId, id: table, direction: 'both', depth: 20 },
  );
  expect(found.truncated).toBe(true);
  expect(found.nodes).toHaveLength(2_000);
  const shown = new Set(found.nodes.map(({ id }) => id));
  expect(shown.has(view)).toBe(true);
  expect([...shown].filter((id) => id.startsWith(`${table}/`))).toHaveLength(1_500);
  expect(found.edges.every(({ from, to }) => shown.has(from) && shown.has(to))).toBe(true);
});
