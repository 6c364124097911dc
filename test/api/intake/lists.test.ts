import { beforeAll, expect, test } from 'vitest';
import { exporting } from '../../support/exports.ts';
import { useWorker } from '../../support/worker.ts';
import { type TestClient, useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);
let client: TestClient;
let on: ReturnType<typeof exporting>;

beforeAll(async () => {
  client = await workspace.organization();
  on = exporting(client);
});

const list = async (path: string, from: TestClient = client) => {
  const { status, body, text } = await from.call('GET', path);
  expect(status, text).toBe(200);
  return body as { items: Record<string, unknown>[]; nextCursor: string | null };
};
const idsOf = ({ items }: { items: Record<string, unknown>[] }) => items.map(({ id }) => id);

test('imports are listed, newest first, by project, table and status', async () => {
  const [project, other] = [await on.project(), await on.project()];
  const importInto = async (projectId: string, name: string, content: string) => {
    const path = `/v1/projects/${projectId}/files/content?path=${name}.csv`;
    const file = await on.must('PUT', path, 201, { content });
    const imports = `/v1/projects/${projectId}/files/${file.id}/imports`;
    const begun = await on.must('POST', imports, 202, { table_name: name });
    await on.importEnded(begun.id);
    return on.must('GET', `/v1/table-imports/${begun.id}`, 200);
  };
  const first = await importInto(project, 'one', 'a\n1\n');
  const second = await importInto(other, 'two', 'a\n1\n');
  const failed = await importInto(project, 'three', '');
  expect(failed.status).toBe('failed');
  const all = await list('/v1/table-imports');
  expect(all.items).toEqual([failed, second, first]);
  expect(idsOf(await list(`/v1/table-imports?project_id=${project}`))).toEqual([failed.id, first.id]);
  expect(idsOf(await list(`/v1/table-imports?table_id=${second.tableId}`))).toEqual([second.id]);
  expect(idsOf(await list(`/v1/table-imports?project_id=${project}&status=succeeded`))).toEqual([first.id]);
  const page = await list('/v1/table-imports?limit=2');
  expect(idsOf(page)).toEqual([failed.id, second.id]);
  const rest = await list(`/v1/table-imports?limit=2&cursor=${page.nextCursor}`);
  expect(rest).toEqual({ items: [first], nextCursor: null });
  expect((await client.call('GET', '/v1/table-imports?status=lost')).status).toBe(422);
  expect(await list('/v1/table-imports', await workspace.organization())).toEqual({
    items: [],
    nextCursor: null,
  });
});

test('batches of a table are listed, newest first, with what is staged so far', async () => {
  const table = await on.data('batched', { a: 'INTEGER' });
  const path = `/v1/tables/${table}/ingestion-batches`;
  const open = async () => (await on.must('POST', path, 201, { mode: 'append' })).id;
  const [empty, staged, aborted] = [await open(), await open(), await open()];
  await on.must('PUT', `${path}/${staged}/pages/1`, 200, {
    records: [
      { s_id: 1, a: 1 },
      { s_id: 2, a: 2 },
    ],
  });
  await on.must('DELETE', `${path}/${aborted}?confirm=true`, 200);
  const { items } = await list(path);
  expect(items).toMatchObject([
    { id: aborted, status: 'aborted' },
    { id: staged, status: 'open', pagesStaged: 1, recordsStaged: 2 },
    { id: empty, status: 'open', pagesStaged: 0, recordsStaged: 0 },
  ]);
  for (const item of items) expect(await on.must('GET', `${path}/${item['id']}`, 200)).toEqual(item);
  expect(idsOf(await list(`${path}?status=open`))).toEqual([staged, empty]);
  const stranger = await workspace.organization();
  expect((await stranger.call('GET', path)).status).toBe(404);
});
