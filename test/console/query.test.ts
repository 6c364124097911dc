import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { inspect } from '../api/pages/in-browser/inspect.ts';
import { expectTitle } from '../api/pages/in-browser/lab.ts';
import { describeInChromium } from '../support/chromium.ts';
import { expectEventually } from '../support/eventually.ts';
import { useWorker } from '../support/worker.ts';
import { useWorkspace } from '../support/workspace.ts';
import { hasRun, hostile, sqlOf, useConsole, writeSql } from './opened.ts';

const workspace = useWorkspace();
useWorker(workspace);

const cities = [
  { city: 'Porto', amount: 30 },
  { city: 'Lagos', amount: 12.5 },
  { city: 'Faro', amount: 100 },
];

describeInChromium('querying', () => {
  const { opened, table, project } = useConsole(workspace);

  async function querying() {
    const one = await opened(async (client) => {
      await project(client);
      await table(client, 'orders', cities);
    });
    await one.page.getByRole('link', { name: 'Query', exact: true }).click();
    await one.page.getByLabel('SQL').waitFor();
    return one;
  }
  async function run(page: Page, sql: string) {
    await writeSql(page, sql);
    await page.getByLabel('SQL').press('Control+Enter');
  }
  const column = async (page: Page, at: number) =>
    page.getByRole('region', { name: 'Rows' }).locator(`tbody td:nth-child(${at})`).allTextContents();

  test('names are completed, a fault is marked where it is, and rows are put in order', async () => {
    const { page, faults } = await querying();
    await page.getByLabel('SQL').pressSequentially('SELECT city, amount FROM ord');
    await page.getByRole('option', { name: 'orders' }).click();
    await expectEventually(() => sqlOf(page)).toBe('SELECT city, amount FROM orders');
    await page.getByLabel('SQL').pressSequentially(' WHERE am');
    await page.locator('.cm-tooltip-autocomplete').getByRole('option').first().getByText('amount').waitFor();
    expect(await page.locator('.cm-completionIcon').count()).toBe(0);
    // Enter is a new line as long as nothing was chosen; Tab takes the first.
    await page.getByLabel('SQL').press('Enter');
    await page.getByLabel('SQL').pressSequentially('amo');
    await page.locator('.cm-tooltip-autocomplete').getByRole('option').first().getByText('amount').waitFor();
    await expectEventually(async () => {
      await page.getByLabel('SQL').press('Tab');
      return sqlOf(page);
    }).toMatch(/ WHERE am\s*amount$/);
    await writeSql(page, 'SELECT city, amount FROM orders');
    await page.getByLabel('SQL').press('Control+Enter');
    await page.getByRole('cell', { name: 'Lagos' }).waitFor();
    await page.getByRole('button', { name: 'amount' }).click();
    expect(await column(page, 2)).toEqual(['12.5', '30', '100']);
    await page.getByRole('button', { name: 'amount' }).click();
    expect(await column(page, 1)).toEqual(['Faro', 'Porto', 'Lagos']);
    await run(page, 'SELECT range AS n FROM range(10001)');
    await page.getByText('These are the first 10,000 rows.').waitFor();
    await run(page, 'SELECT citty FROM orders');
    await page.getByRole('alert').waitFor();
    expect(await page.locator('.cm-lintRange-error').textContent()).toBe('citty');
    await run(page, 'SELECT city\nFRM orders ORDER BY');
    await page.locator('.cm-lintRange-error').waitFor();
    expect(faults).toEqual([]);
  });

  test('an answer is drawn, exported, kept as a view and as a calculated table, and found again', async () => {
    const { page, client, faults } = await querying();
    const sql = 'SELECT city, sum(amount) AS total FROM orders GROUP BY city ORDER BY city';
    await run(page, sql);
    await page.getByRole('cell', { name: 'Lagos' }).waitFor();
    await page.getByText('Chart', { exact: true }).click();
    await page.getByRole('img', { name: 'Chart' }).locator('svg').waitFor();
    await page.getByLabel('Kind').selectOption('line');
    await page.getByText('Export all rows').click();
    await page.getByLabel('Format').selectOption('csv');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const link = page.getByRole('link', { name: 'export.csv' });
    const file = await fetch((await link.getAttribute('href'))!);
    await page.getByText('Exports').click();
    await page.getByRole('table', { name: 'Exports' }).getByText('succeeded').waitFor();
    expect(await file.text()).toBe('city,total\r\nFaro,100.0\r\nLagos,12.5\r\nPorto,30.0\r\n');
    await page.getByText('Save statement').click();
    await page.getByLabel('Name').fill('by_city');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('link', { name: 'Open by_city' }).waitFor();
    // The name is taken now.
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Name').fill('built');
    await page.getByRole('combobox', { name: 'Save as', exact: true }).selectOption('calc');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('link', { name: 'Open built' }).click();
    await expectTitle(page, 'built');
    await page.getByText('fresh').waitFor();
    await page.reload();
    await page.getByRole('cell', { name: 'Lagos' }).waitFor();
    await page.getByRole('link', { name: 'Query', exact: true }).click();
    await page.getByText('Query history').click();
    await page.getByRole('link', { name: sql }).first().click();
    await expectEventually(() => sqlOf(page)).toBe(sql);
    expect(faults).toEqual([]);
    expect((await client.call('GET', '/v1/views')).body.views).toHaveLength(1);
  });

  test('rows are shown with the statement that gave them, and with no other', async () => {
    const { page, faults } = await querying();
    const [first, second] = ["SELECT city FROM orders WHERE city = 'Faro'", 'SELECT 8 AS eight'];
    await run(page, first);
    await page.getByRole('cell', { name: 'Faro' }).waitFor();
    await run(page, second);
    await page.getByRole('cell', { name: '8', exact: true }).waitFor();
    await page.goBack();
    await expectEventually(() => sqlOf(page)).toBe(first);
    expect(await page.getByRole('region', { name: 'Rows' }).count()).toBe(0);
    await page.getByLabel('SQL').press('Control+Enter');
    await page.getByRole('cell', { name: 'Faro' }).waitFor();
    // Whoever writes on sees whose rows they are.
    await page.getByLabel('SQL').press('Control+End');
    await page.keyboard.insertText(' OR true');
    await page.getByText('You changed the statement.').waitFor();
    await page.locator('pre').getByText(first, { exact: true }).waitFor();
    await page.getByText('Query history').click();
    await page.getByRole('link', { name: second }).click();
    await expectEventually(() => sqlOf(page)).toBe(second);
    expect(await page.getByRole('region', { name: 'Rows' }).count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test('a statement that is too long for an address is found again after a reload, and by going back', async () => {
    const { page, faults } = await querying();
    const long = `SELECT 'kept' AS word --${'x'.repeat(20_000)}`;
    await run(page, 'SELECT 8 AS eight');
    await page.getByRole('cell', { name: '8', exact: true }).waitFor();
    await run(page, long);
    await page.getByRole('cell', { name: 'kept' }).waitFor();
    expect(new URL(page.url()).search).toBe('');
    await page.reload();
    await expectEventually(() => sqlOf(page)).toContain("SELECT 'kept' AS word");
    await page.goBack();
    await expectEventually(() => sqlOf(page)).toBe('SELECT 8 AS eight');
    await page.goForward();
    await expectEventually(() => sqlOf(page)).toContain("SELECT 'kept' AS word");
    expect(faults).toEqual([]);
  });

  test('null is no empty text, and a value that is cut is shown whole', async () => {
    const { page, faults } = await querying();
    await run(page, "SELECT NULL AS a, '' AS b, repeat('long ', 300) || 'end' AS c");
    await page.getByRole('cell', { name: 'null', exact: true }).waitFor();
    expect((await column(page, 1)).concat(await column(page, 2))).toEqual(['null', '']);
    const dialog = page.getByRole('dialog', { name: 'c', exact: true });
    await page.getByRole('cell', { name: /^long/ }).click();
    await dialog.getByText(/ end$/).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
    // By the keyboard: into the cells, to the third, and out again.
    const grid = page.getByRole('region', { name: 'Rows' });
    await grid.focus();
    for (const key of ['Enter', 'ArrowRight', 'ArrowRight', 'Enter']) await page.keyboard.press(key);
    await dialog.getByText(/ end$/).waitFor();
    await inspect(page, 'query-value');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await expectEventually(() => page.locator(':focus').getAttribute('aria-label')).toBe('Rows');
    expect(faults).toEqual([]);
  });

  test('Stop ends a statement at the service', async () => {
    const { page, client } = await querying();
    await run(page, 'SELECT sum(hash(a.range + b.range)) FROM range(1000000) a, range(1000000) b');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
    expect(await page.getByRole('alert').count()).toBe(0);
    await expectEventually(async () => {
      const { items } = (await client.call('GET', '/v1/query-executions')).body;
      return items[0]?.status;
    }).toBe('failed');
  });

  test('names and values are text, also in a chart', async () => {
    const { page, faults, elsewhere } = await querying();
    const name = hostile[0]!.replaceAll('"', '""');
    await run(page, `SELECT '${hostile[1]}' AS "${name}", 3 AS n`);
    await page.getByRole('cell', { name: hostile[1]! }).waitFor();
    await page.getByText('Chart', { exact: true }).click();
    await page.getByRole('img', { name: 'Chart' }).getByText(hostile[0]!).waitFor();
    expect([await hasRun(page), faults, elsewhere]).toEqual([false, [], []]);
  });

  test('it is accessible in light and dark colours, and fits a narrow window', async () => {
    const { page } = await querying();
    await run(page, 'SELECT city, amount, NULL AS nothing FROM orders');
    await page.getByRole('cell', { name: 'Lagos' }).waitFor();
    await page.getByText('Chart', { exact: true }).click();
    await page.getByRole('img', { name: 'Chart' }).locator('svg').waitFor();
    await page.getByText('Export all rows').click();
    await page.getByText('Save statement').click();
    await page.getByText('Query history').click();
    await page.getByRole('cell', { name: 'succeeded' }).waitFor();
    await inspect(page, 'query-answer');
    await run(page, 'SELECT citty FROM orders');
    await page.getByRole('alert').waitFor();
    await inspect(page, 'query-marked');
  });
});
