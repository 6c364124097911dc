import { beforeAll, expect, test } from 'vitest';
import { shaping } from '../../../support/calculated.ts';
import { replaceGrants } from '../../../support/grants.ts';
import { type Person, personOf } from '../../../support/people.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

/** What fails behind a view is not told to who may not read it. */
const workspace = useWorkspace();
useWorker(workspace);
let client: TestClient;
let reader: Person;
let salaries: string;

beforeAll(async () => {
  client = await workspace.organization();
  const on = shaping(client);
  salaries = await on.data('salaries', { city: 'STRING', bonus_code: 'STRING' });
  await on.append(salaries, [{ s_id: 1, city: 'Porto', bonus_code: 'classified-7' }]);
  await on.view('bonuses', 'SELECT city, CAST(bonus_code AS INTEGER) AS bonus FROM salaries');
  await on.view('cities', 'SELECT city, bonus_code AS code FROM salaries');
  await replaceGrants(client, salaries, []);
  reader = await personOf(workspace, client, 'member');
});

const asked = (by: Pick<TestClient, 'call'>, sql: string, accept = 'application/json') =>
  by.call('POST', '/v1/query-executions', { body: { sql }, headers: { accept } });

test.each(['application/json', 'text/csv', 'application/vnd.apache.arrow.stream'])(
  'a cast that fails there shows no value, as %s',
  async (accept) => {
    const failed = await asked(reader, 'SELECT sum(bonus) AS b FROM bonuses', accept);
    expect([failed.status, failed.body.code]).toEqual([400, 'query_failed']);
    expect(failed.text).not.toContain('classified-7');
    expect(failed.body.detail).toContain('The reason is hidden');
    const history = await reader.call('GET', '/v1/query-executions');
    expect(history.text).not.toContain('classified-7');
  },
);

test('names that are not there are told without candidates', async () => {
  const failed = await asked(reader, 'SELECT bonus_cod FROM cities JOIN bonuses USING (city)');
  expect(failed.status).toBe(400);
  expect(failed.text).not.toContain('bonus_code');
});

test('a fault of syntax is told as it is, and so is everything to who may read the table', async () => {
  expect((await asked(reader, 'SELEC city FROM cities')).body.detail).toMatch(/syntax error/i);
  expect((await asked(client, 'SELECT sum(bonus) AS b FROM bonuses')).body.detail).toContain('classified-7');
  const own = await shaping(client).data('own', { text: 'STRING' });
  await shaping(client).append(own, [{ s_id: 1, text: 'mine' }]);
  expect((await asked(reader, 'SELECT CAST(text AS INTEGER) AS n FROM own')).body.detail).toContain('mine');
});

test('neither does the status of a calculated table, nor its run, to who may not read its sources', async () => {
  const on = shaping(client);
  const table = await on.calc('totals', 'SELECT CAST(bonus_code AS INTEGER) AS bonus FROM salaries');
  const run = await on.materialized(table);
  expect(run.status).toBe('failed');
  expect(JSON.stringify(await on.status(table))).toContain('classified-7');
  const status = await reader.call('GET', `/v1/grid/tables/${table}/status`);
  expect([status.status, status.text]).toEqual([200, expect.stringContaining('The reason is hidden')]);
  expect(status.text).not.toContain('classified-7');
  const runs = await reader.call('GET', `/v1/grid/tables/${table}/runs`);
  expect([runs.status, runs.text]).toEqual([200, expect.stringContaining('Its status shows the reason')]);
  expect(runs.text).not.toContain('classified-7');
});
