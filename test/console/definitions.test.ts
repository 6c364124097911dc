import { expect, test } from 'vitest';
import { inspect } from '../api/pages/in-browser/inspect.ts';
import { expectTitle } from '../api/pages/in-browser/lab.ts';
import { describeInChromium } from '../support/chromium.ts';
import { expectEventually } from '../support/eventually.ts';
import { useWorker } from '../support/worker.ts';
import { type TestClient, useWorkspace } from '../support/workspace.ts';
import { hasRun, hostile, openPart, sqlOf, useConsole, writeSql } from './opened.ts';

const workspace = useWorkspace();
useWorker(workspace);

const cities = [
  { city: 'Porto', amount: 30 },
  { city: 'Lagos', amount: 12.5 },
];

describeInChromium('views and calculated tables', () => {
  const { opened, table } = useConsole(workspace);

  async function view(client: TestClient, query: string) {
    const made = await client.call('POST', '/v1/views', { body: { name: 'large', query } });
    expect(made.status, made.text).toBe(201);
    return `/v1/views/${made.body.data.id}`;
  }

  async function calculated(client: TestClient, query: string): Promise<string> {
    const body = { name: 'totals', kind: 'calc', query };
    const made = await client.call('POST', '/v1/grid/tables', { body });
    expect(made.status, made.text).toBe(201);
    return made.body.data.tableId;
  }

  test('the statement of a view is changed where statements are written, unless somebody else did meanwhile', async () => {
    let path = '';
    const { page, client, faults } = await opened(async (given) => {
      await table(given, 'orders', cities);
      path = await view(given, 'SELECT city FROM orders WHERE amount > 20');
    });
    const first = 'SELECT city, amount FROM orders WHERE amount > 10';
    const open = async () => {
      await page.getByRole('link', { name: 'large' }).click();
      await expectTitle(page, 'large');
      await openPart(page, 'Statement');
      await page.getByRole('link', { name: 'Edit SQL' }).click();
      await page.getByRole('button', { name: 'Save to large' }).waitFor();
    };
    await open();
    await expectEventually(() => sqlOf(page)).toBe('SELECT city FROM orders WHERE amount > 20');
    const save = page.getByRole('button', { name: 'Save to large' });
    expect(await save.isDisabled()).toBe(true);
    // What is tried meanwhile is still of that view, also after a reload.
    await writeSql(page, 'SELECT city FROM orders');
    await page.getByLabel('SQL').press('Control+Enter');
    await page.getByRole('cell', { name: 'Lagos' }).waitFor();
    await page.reload();
    await save.waitFor();
    await writeSql(page, 'SELECT citty FROM orders');
    await save.click();
    await page.getByRole('alert').getByText(/citty/).waitFor();
    await writeSql(page, first);
    await save.click();
    await expectTitle(page, 'large');
    await page.getByRole('cell', { name: '12.5' }).waitFor();
    expect((await client.call('GET', path)).body.data.query).toBe(first);
    // It counts what one saw: the statement is no other one since it was read there.
    await openPart(page, 'Statement');
    await page.locator('pre').getByText(first).waitFor();
    const others = 'SELECT 1 AS theirs FROM orders';
    expect((await client.call('PATCH', path, { body: { query: others } })).status).toBe(200);
    await page.getByRole('link', { name: 'Edit SQL' }).click();
    const mine = 'SELECT 2 AS mine FROM orders';
    await page.getByLabel('SQL').waitFor();
    await writeSql(page, mine);
    await save.click();
    await page.getByText('Somebody changed the statement after you opened it.').waitFor();
    await page.locator('pre').getByText(others).waitFor();
    expect((await client.call('GET', path)).body.data.query).toBe(others);
    await page.getByRole('button', { name: 'Replace it with mine' }).click();
    await expectTitle(page, 'large');
    await page.getByRole('columnheader', { name: 'mine' }).first().waitFor();
    expect((await client.call('GET', path)).body.data.query).toBe(mine);
    expect(faults).toEqual([]);
  });

  test('a view gets another name, which may be hostile', async () => {
    const { page, client, faults } = await opened(async (given) => {
      await table(given, 'orders', cities);
      await view(given, 'SELECT city FROM orders');
    });
    await page.getByRole('link', { name: 'large' }).click();
    await openPart(page, 'Settings');
    await page.getByLabel('Name').fill('orders');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Name').fill(hostile[0]!);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expectTitle(page, hostile[0]!);
    // What somebody else changes meanwhile stays: only what one has written is saved.
    const [{ id }] = (await client.call('GET', '/v1/views')).body.views;
    expect((await client.call('PATCH', `/v1/views/${id}`, { body: { name: 'theirs' } })).status).toBe(200);
    for (const text of ['First.', 'Second.']) {
      await page.getByLabel('Description').fill(text);
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('paragraph').filter({ hasText: text }).waitFor();
    }
    expect((await client.call('GET', '/v1/views')).body.views[0].name).toBe('theirs');
    expect((await client.call('PATCH', `/v1/views/${id}`, { body: { name: hostile[0] } })).status).toBe(200);
    await page.reload();
    await openPart(page, 'Statement');
    await page.getByRole('link', { name: 'Edit SQL' }).click();
    await page.getByRole('button', { name: `Save to ${hostile[0]}` }).waitFor();
    expect((await client.call('GET', '/v1/views')).body.views[0].name).toBe(hostile[0]);
    expect([await hasRun(page), faults]).toEqual([false, []]);
  });

  test('a calculated table says what changed, when it is built, and how its builds ended', async () => {
    let [id, orders] = ['', ''];
    const { page, client, faults } = await opened(async (given) => {
      orders = await table(given, 'orders', cities);
      id = await calculated(given, 'SELECT sum(amount) AS total FROM orders');
    });
    await page.getByRole('link', { name: 'totals' }).click();
    await page.getByText('never built').waitFor();
    await openPart(page, 'Builds');
    await page.getByText('This table has never been built.').waitFor();
    await page.getByRole('button', { name: 'Build now' }).click();
    await openPart(page, 'Rows');
    await page.getByRole('cell', { name: '42.5' }).waitFor();
    await openPart(page, 'Builds');
    const builds = page.getByRole('table', { name: 'Builds' });
    await builds.getByText('succeeded').waitFor();
    // What one has opened stays open while it is built again.
    await page.getByRole('button', { name: 'Build now' }).click();
    await expectEventually(() => builds.getByText('succeeded').count()).toBe(2);
    await openPart(page, 'Rows');
    await page.getByRole('cell', { name: '42.5' }).waitFor();
    const more = { rows: [{ s_id: 10, city: 'Faro', amount: 100 }] };
    expect((await client.call('POST', `/v1/tables/${orders}/rows`, { body: more })).status).toBe(200);
    await page.reload();
    await page.getByText('Changed since the last build: orders.').waitFor();
    await openPart(page, 'Builds');
    await page.getByLabel('Refresh').selectOption('when its sources change');
    await page.getByLabel('Minimum seconds between builds').fill('3600');
    await page.getByRole('button', { name: 'Save refresh settings' }).click();
    await page.getByText('Saved.').waitFor();
    await expectEventually(async () => {
      const { refresh } = (await client.call('GET', `/v1/grid/tables/${id}`)).body.data;
      return refresh;
    }).toMatchObject({ mode: 'on_change', minIntervalSeconds: 3600 });
    await openPart(page, 'Statement');
    await page.getByRole('link', { name: 'Edit SQL' }).click();
    await writeSql(page, "SELECT CAST(city AS INTEGER) AS total FROM orders WHERE city = 'Faro'");
    await page.getByRole('button', { name: 'Save to totals' }).click();
    await expectTitle(page, 'totals');
    await page.getByText('Changed since the last build: its statement, or one it reads from.').waitFor();
    await page.getByRole('button', { name: 'Build now' }).click();
    await page.getByText('last build failed').waitFor();
    await page
      .getByRole('paragraph')
      .filter({ hasText: /^Conversion Error/ })
      .waitFor();
    await openPart(page, 'Builds');
    await builds.getByText('failed').waitFor();
    expect(faults).toEqual([]);
  });

  test('what the service refuses is told, and what fails is asked again', async () => {
    const { page } = await opened(async (given) => {
      await table(given, 'orders', cities);
      await calculated(given, 'SELECT sum(amount) AS total FROM orders');
    });
    const refused = { status: 422, json: { code: 'conflict', detail: 'Broken for a test.' } };
    await page.route('**/grid/tables/*/runs', (route) => route.fulfill(refused));
    await page.getByRole('link', { name: 'totals' }).click();
    await openPart(page, 'Builds');
    await page.getByText('Broken for a test.').waitFor();
    await page.unroute('**/grid/tables/*/runs');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('This table has never been built.').waitFor();
    await page.route('**/grid/tables/*', (route) =>
      route.request().method() === 'PATCH' ? route.fulfill(refused) : route.fallback(),
    );
    await page.getByRole('button', { name: 'Save refresh settings' }).click();
    await page.getByText('Broken for a test.').waitFor();
    await page.goto('/console/query?sql=SELECT%201&of=tbl_of_somebody_else&revision=1');
    await page.getByRole('alert').waitFor();
    await page.getByLabel('SQL').waitFor();
  });

  test('they are accessible in light and dark colours, and fit a narrow window', async () => {
    const { page } = await opened(async (given) => {
      await table(given, 'orders', cities);
      const id = await calculated(given, 'SELECT sum(amount) AS total FROM orders');
      expect((await given.call('POST', `/v1/grid/tables/${id}/materialize`)).status).toBe(202);
    });
    await page.getByRole('link', { name: 'totals' }).click();
    await page.getByRole('cell', { name: '42.5' }).waitFor();
    await openPart(page, 'Builds');
    await page.getByRole('table', { name: 'Builds' }).getByText('succeeded').waitFor();
    await page.getByLabel('Refresh').selectOption('when its sources change');
    await openPart(page, 'Statement');
    await inspect(page, 'calculated-table');
    await page.getByRole('link', { name: 'Edit SQL' }).click();
    await page.getByRole('button', { name: 'Save to totals' }).waitFor();
    await page.getByLabel('SQL').waitFor();
    await inspect(page, 'query-change');
  });
});
