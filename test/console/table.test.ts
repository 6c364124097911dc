import { expect, test } from 'vitest';
import { inspect, themes } from '../api/pages/in-browser/inspect.ts';
import { expectTitle } from '../api/pages/in-browser/lab.ts';
import { describeInChromium } from '../support/chromium.ts';
import { useWorker } from '../support/worker.ts';
import { type TestClient, useWorkspace } from '../support/workspace.ts';
import { hostile, openPart, useConsole } from './opened.ts';

const workspace = useWorkspace({ trustedProxies: ['127.0.0.1'] });
useWorker(workspace);

describeInChromium('a table', () => {
  const { opened, table } = useConsole(workspace);
  const cities = [
    { city: 'Porto', amount: 30 },
    { city: 'Lagos', amount: 12.5 },
  ];

  /** A table of two versions, a view of it, and a test that it fails. */
  async function shaped(client: TestClient) {
    const id = await table(client, 'orders', cities);
    const more = { rows: [{ s_id: 10, city: hostile[0], amount: -4 }] };
    expect((await client.call('POST', `/v1/tables/${id}/rows`, { body: more })).status).toBe(200);
    const view = { name: 'by_city', query: 'SELECT city, sum(amount) AS total FROM orders GROUP BY city' };
    expect((await client.call('POST', '/v1/views', { body: view })).status).toBe(201);
    const definition = {
      ...{ name: 'no debts', kind: 'expression', params: { expression: 'amount >= 0' } },
      target: { table_id: id },
    };
    const made = await client.call('POST', '/v1/verification-tests/definitions', { body: definition });
    expect(made.status, made.text).toBe(201);
    return id;
  }

  test('it is described, profiled, tested, and read as it was', async () => {
    let id = '';
    const { page, faults } = await opened(async (client) => {
      id = await shaped(client);
    });
    await page.goto(`/console/tables/${id}`);
    await page.getByRole('region', { name: 'Rows' }).getByRole('cell', { name: hostile[0]! }).waitFor();
    await openPart(page, 'Describe it');
    await page.getByLabel('Description').fill('Orders of the year.');
    await page.getByLabel('Tier').selectOption('curated');
    await page.getByLabel('Note on amount').fill('In euros.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'In euros.' }).waitFor();
    await page.getByText('Orders of the year.').first().waitFor();
    await page.getByText(/· curated ·/).waitFor();
    await openPart(page, 'Profile');
    await page.getByText('It was not profiled yet.').waitFor();
    await page.getByRole('button', { name: 'Profile it' }).click();
    await page.getByRole('img', { name: 'How the values of amount are spread' }).waitFor();
    await openPart(page, 'Tests');
    await page.getByRole('button', { name: 'Run the tests' }).click();
    await page.getByText(/· tests fail ·/).waitFor();
    await page.getByRole('row').filter({ hasText: 'no debts' }).getByText('failed').waitFor();
    await openPart(page, 'Versions');
    await page
      .getByRole('link', { name: /^Read version/ })
      .nth(1)
      .click();
    await page.getByText(/^These are the rows of version/).waitFor();
    await page
      .getByRole('region', { name: 'Rows' })
      .getByRole('cell', { name: hostile[0]! })
      .waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'Rows' }).getByRole('cell', { name: 'Porto' }).waitFor();
    await page.getByRole('link', { name: 'Read the newest' }).click();
    await page.getByRole('region', { name: 'Rows' }).getByRole('cell', { name: hostile[0]! }).waitFor();
    await openPart(page, 'Lineage');
    await page.getByRole('img', { name: /^What orders is made from/ }).waitFor();
    await page.getByRole('link', { name: 'by_city' }).click();
    await expectTitle(page, 'by_city');
    await page
      .getByRole('cell', { name: '42.5' })
      .or(page.getByRole('cell', { name: '30' }))
      .first()
      .waitFor();
    await page.getByText('Statement').click();
    await page.getByText('SELECT city, sum(amount)').waitFor();
    await page.getByRole('button', { name: 'Delete the view' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the view' }).click();
    await expectTitle(page, 'Data');
    await page.getByRole('link', { name: 'by_city' }).waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });

  test('a part that fails says so, and is asked again', async () => {
    let id = '';
    const { page } = await opened(async (client) => {
      id = await shaped(client);
    });
    await page.route('**/versions?*', (route) =>
      route.fulfill({ status: 422, json: { code: 'conflict', detail: 'Broken for a test.' } }),
    );
    await page.route('**/versions', (route) =>
      route.fulfill({ status: 422, json: { code: 'conflict', detail: 'Broken for a test.' } }),
    );
    await page.goto(`/console/tables/${id}`);
    await openPart(page, 'Versions');
    await page.getByText('Broken for a test.').waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page
      .getByRole('link', { name: /^Read version/ })
      .first()
      .waitFor();
  });

  test.each(themes)('it is accessible in %s colours, and fits a narrow window', async (theme) => {
    let id = '';
    const { page } = await opened(
      async (client) => {
        id = await shaped(client);
      },
      { colorScheme: theme },
    );
    await page.goto(`/console/tables/${id}`);
    for (const part of ['Describe it', 'Profile', 'Tests', 'Versions', 'Lineage']) await openPart(page, part);
    await page.getByRole('button', { name: 'Profile it' }).click();
    await page.getByRole('img', { name: 'How the values of amount are spread' }).waitFor();
    await page.getByRole('button', { name: 'Run the tests' }).click();
    await page.getByText(/· tests fail ·/).waitFor();
    await page.getByRole('img', { name: /^What orders is made from/ }).waitFor();
    await inspect(page, 'console-table-parts', theme);
  });
});
