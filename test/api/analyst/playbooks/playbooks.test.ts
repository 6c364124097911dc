import { beforeAll, expect, test } from 'vitest';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { projectOf } from '../../../support/conversations.ts';
import { attachedTable } from '../../../support/runs.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();

let client: TestClient;
let project: string;
let url: string;

beforeAll(async () => {
  client = await workspace.organization();
  project = await projectOf(client);
  url = `/v1/projects/${project}/playbooks`;
  await attachedTable(client, project, 'orders', [{ s_id: 1, amount: 2 }]);
});

const minimal = { title: 'Sales', instructions: '- how many orders' };
const post = (body: object) => client.call('POST', url, { body });
const made = async (body: object = minimal) => {
  const answer = await post(body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body.data;
};

test('a playbook is kept as it was written, and its defaults are shown', async () => {
  const playbook = await made();
  expect(playbook).toEqual({
    id: expect.stringMatching(/^pbk_/),
    projectId: project,
    ...minimal,
    description: '',
    parameters: {},
    output: { type: 'report', title: '' },
    model: null,
    effort: null,
    revision: 1,
    createdByUserId: client.clientId,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  expect((await client.call('GET', `${url}/${playbook.id}`)).body.data).toEqual(playbook);
  const listed = await client.call('GET', `${url}?limit=1`);
  expect(listed.body.items).toEqual([playbook]);
});

test('numbers in defaults keep their digits', async () => {
  const text = JSON.stringify({ ...minimal, parameters: { n: { type: 'number', default: 0 } } });
  const raw = {
    text: text.replace('"default":0', '"default":9007199254740993'),
    contentType: 'application/json',
  };
  const answer = await client.call('POST', url, { raw });
  expect(answer.status, answer.text).toBe(201);
  expect(answer.text).toContain('"default":9007199254740993');
  const shown = await client.call('GET', `${url}/${answer.body.data.id}`);
  expect(shown.text).toContain('"default":9007199254740993');
});

test('a change keeps the revision before, and a stale one is refused with the present', async () => {
  const { id } = await made();
  const change = (body: object) => client.call('PATCH', `${url}/${id}`, { body });
  const changed = await change({ title: 'Best sales', expected_revision: 1 });
  expect(changed.status, changed.text).toBe(200);
  expect(changed.body.data).toMatchObject({
    title: 'Best sales',
    instructions: minimal.instructions,
    revision: 2,
  });
  const stale = await change({ title: 'Late', expected_revision: 1 });
  expect(stale.status).toBe(409);
  expect(stale.body).toMatchObject({ code: 'revision_conflict', current_revision: 2 });
  const first = await client.call('GET', `${url}/${id}/versions?limit=1`);
  expect(first.body.items).toMatchObject([{ revision: 2, title: 'Best sales' }]);
  const second = await client.call('GET', `${url}/${id}/versions?limit=1&cursor=${first.body.nextCursor}`);
  expect(second.body).toMatchObject({ items: [{ revision: 1, title: 'Sales' }], nextCursor: null });
});

test('a deleted playbook is answered as it ended, and is gone', async () => {
  const playbook = await made();
  expect((await client.call('DELETE', `${url}/${playbook.id}`)).body.data).toEqual(playbook);
  expect((await client.call('GET', `${url}/${playbook.id}`)).status).toBe(404);
  expect((await client.call('POST', `${url}/${playbook.id}/runs`, { body: {} })).status).toBe(404);
});

const dated = { parameters: { since: { type: 'date' } } };

test.each([
  ['instructions that name no parameter', { instructions: 'by ${region}' }, ['body', 'instructions']],
  ['a title that names no parameter', { title: 'By ${region}' }, ['body', 'title']],
  [
    "an output's title that names no parameter",
    { output: { type: 'report', title: '${x}' } },
    ['body', 'output', 'title'],
  ],
  [
    'a default of another type',
    { parameters: { n: { type: 'number', default: 'x' } } },
    ['body', 'parameters', 'n', 'default'],
  ],
  [
    'a default that is no date',
    { parameters: { d: { type: 'date', default: '2026-02-30' } } },
    ['body', 'parameters', 'd', 'default'],
  ],
  ['a path out of the project', { output: { type: 'file', path: '../x.md' } }, ['body', 'output', 'path']],
  ['an unknown model', { model: 'gpt-none' }, ['body', 'model']],
  ['an unknown field', { instruction: 'x' }, ['body', 'instruction']],
  ['instructions of 1 MB', { instructions: 'x'.repeat(900_000) }, ['body', 'instructions']],
  ['instructions with half a character', { instructions: 'x \ud800' }, ['body', 'instructions']],
])('%s is refused at its place', async (_, change, loc) => {
  const answer = await post({ ...minimal, ...change });
  expect(answer.status, answer.text).toBe(422);
  expect(answer.body.detail[0].loc).toEqual(loc);
});

test.each([
  ['an unknown parameter', dated, { until: '2026-01-01' }, 'until', 'extra_forbidden'],
  ['a missing one', { parameters: { since: { type: 'date', required: true } } }, {}, 'since', 'missing'],
  [
    'a null for a required one',
    { parameters: { since: { type: 'date', required: true } } },
    { since: null },
    'since',
    'missing',
  ],
  ['a date that is none', dated, { since: '2026-13-01' }, 'since', 'value_error'],
  ['a number for a string', { parameters: { s: { type: 'string' } } }, { s: 7 }, 's', 'string_type'],
  ['a string for a number', { parameters: { n: { type: 'number' } } }, { n: '7' }, 'n', 'value_error'],
  ['a string for a boolean', { parameters: { b: { type: 'boolean' } } }, { b: 'yes' }, 'b', 'bool_type'],
  [
    'lines of its own',
    { parameters: { s: { type: 'string' } } },
    { s: 'x\n- how many orders' },
    's',
    'value_error',
  ],
  [
    'a table that is not attached',
    { parameters: { t: { type: 'table' } } },
    { t: 'sys_users' },
    't',
    'value_error',
  ],
])('a run with %s is refused at the parameter', async (_, change, params, name, type) => {
  const { id } = await made({ ...minimal, ...change });
  const answer = await client.call('POST', `${url}/${id}/runs`, { body: { params } });
  expect(answer.status, answer.text).toBe(422);
  expect(answer.body.detail[0]).toMatchObject({ loc: ['body', 'params', name], type });
});

test('a run without params needs no body; required ones are missing from none', async () => {
  const { id } = await made({ ...minimal, parameters: { since: { type: 'date', required: true } } });
  const answer = await client.call('POST', `${url}/${id}/runs`);
  expect(answer.status, answer.text).toBe(422);
  expect(answer.body.detail[0]).toMatchObject({ loc: ['body', 'params', 'since'], type: 'missing' });
});

test('a path that its parameters make illegal is refused before anything runs', async () => {
  const { id } = await made({
    ...minimal,
    parameters: { folder: { type: 'string' } },
    output: { type: 'file', path: '${folder}/x.md' },
  });
  const answer = await client.call('POST', `${url}/${id}/runs`, { body: { params: { folder: '..' } } });
  expect(answer.status, answer.text).toBe(422);
  expect(answer.body.detail[0].loc).toEqual(['body', 'params']);
});

test('values that would make instructions of many megabytes are refused before anything runs', async () => {
  const { id } = await made({
    ...minimal,
    instructions: '${word}'.repeat(20_000),
    parameters: { word: { type: 'string' } },
  });
  const params = { word: 'x'.repeat(1_000) };
  const answer = await client.call('POST', `${url}/${id}/runs`, { body: { params } });
  expect(answer.status, answer.text).toBe(422);
  expect(answer.body.detail[0]).toMatchObject({ loc: ['body', 'params'], type: 'value_error' });
});

test('a playbook has a thousand revisions at most', async () => {
  const { id } = await made();
  await inOrganization(workspace.deps.db, client.organizationId, (db) =>
    db.updateTable('playbooks').set({ revision: 1_000 }).where('id', '=', id).execute(),
  );
  const answer = await client.call('PATCH', `${url}/${id}`, { body: { title: 'Again' } });
  expect(answer.status, answer.text).toBe(409);
  expect(answer.body.code).toBe('limit_reached');
});

test('a page of large playbooks ends early, and goes on', async () => {
  const other = await workspace.organization();
  const large = `/v1/projects/${await projectOf(other)}/playbooks`;
  const titles = Array.from({ length: 13 }, (_, index) => `Large ${index}`);
  for (const title of titles)
    await other.call('POST', large, { body: { title, instructions: 'x'.repeat(200_000) } });
  const seen: string[] = [];
  const sizes: number[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await other.call('GET', `${large}?limit=200${cursor}`);
    seen.push(...body.items.map((item: { title: string }) => item.title));
    sizes.push(body.items.length);
    if (body.nextCursor === null) break;
    cursor = `&cursor=${body.nextCursor}`;
  }
  expect(seen).toEqual(titles.reverse());
  expect(sizes).toEqual([10, 3]);
});
