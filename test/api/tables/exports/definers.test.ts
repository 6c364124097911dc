import { beforeAll, expect, test } from 'vitest';
import { talkIn } from '../../../support/conversations.ts';
import { exporting } from '../../../support/exports.ts';
import { replaceGrants } from '../../../support/grants.ts';
import { type Person, personOf } from '../../../support/people.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

/** A view shows rows of a table that its reader may not read: it reads as who defined it. */
const workspace = useWorkspace();
useWorker(workspace);
let client: TestClient;
let reader: Person;
let hidden: string;
let view: string;

beforeAll(async () => {
  client = await workspace.organization();
  const on = exporting(client);
  hidden = await on.data('salaries', { city: 'STRING', amount: 'INTEGER' });
  await on.append(hidden, [
    { s_id: 1, city: 'Porto', amount: 5 },
    { s_id: 2, city: 'Lagos', amount: 7 },
  ]);
  await replaceGrants(client, hidden, []);
  view = await on.view('cities', 'SELECT city FROM salaries');
  reader = await personOf(workspace, client, 'member');
});

test('whoever reads the view exports it, sees the export, and no table behind it', async () => {
  const theirs = exporting({ ...client, call: reader.call });
  for (const source of [{ table_id: view }, { sql: 'SELECT city FROM cities ORDER BY city DESC' }]) {
    const done = await theirs.exported({ ...source, format: 'csv' });
    expect(done).toMatchObject({ status: 'succeeded', rowsWritten: 2 });
    expect(JSON.stringify(done)).not.toContain(hidden);
    expect((await theirs.download(done.files[0])).bytes.toString()).toContain('Porto');
  }
  const { items } = (await reader.call('GET', '/v1/exports')).body;
  expect(items).toHaveLength(2);
});

test('what was exported of a hidden table by its name stays hidden', async () => {
  const done = await exporting(client).exported({ table_id: hidden, format: 'csv' });
  expect(done.versions).toMatchObject([{ tableId: hidden }]);
  expect((await reader.call('GET', `/v1/exports/${done.id}`)).status).toBe(404);
  const both = await exporting(client).exported({
    sql: 'SELECT city FROM cities JOIN salaries USING (city)',
    format: 'csv',
  });
  expect((await reader.call('GET', `/v1/exports/${both.id}`)).status).toBe(404);
});

test('a statement over the view is answered, and so is a question about it', async () => {
  const asked = await reader.call('POST', '/v1/query-executions', {
    body: { sql: 'SELECT city FROM cities' },
  });
  expect(asked.status, asked.text).toBe(200);
  const talk = await talkIn({ ...client, call: reader.call });
  const entry = { body: { view_id: view } };
  const attached = await reader.call('POST', `/v1/projects/${talk.projectId}/catalog-entries`, entry);
  expect(attached.status, attached.text).toBe(201);
  const reply = await talk.ask('number of cities by city as a bar chart');
  expect(reply).toMatchObject({ status: 'complete', content: expect.stringContaining('Porto') });
  expect(JSON.stringify(reply.parts)).toContain('cht_');
});
