import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { inspect } from '../api/pages/in-browser/inspect.ts';
import { expectTitle } from '../api/pages/in-browser/lab.ts';
import { describeInChromium } from '../support/chromium.ts';
import { expectEventually } from '../support/eventually.ts';
import { useWorker } from '../support/worker.ts';
import { useWorkspace } from '../support/workspace.ts';
import { chooseMore, hasRun, hostile, openPart, sqlOf, useConsole, writeSql } from './opened.ts';

const workspace = useWorkspace();
useWorker(workspace);

/** The editor takes no key for a list that has just opened. */
const listRestsMs = 300;

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
  /** Closes the panel that is open. */
  async function close(page: Page) {
    const panel = page.getByRole('dialog');
    await panel.getByRole('button', { name: 'Close', exact: true }).click();
    await panel.waitFor({ state: 'hidden' });
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
    // Enter and Tab take the first of the list.
    for (const [key, typed, whole] of [
      ['Enter', '', / WHERE amount$/],
      ['Tab', ' = amo', / WHERE amount = amount$/],
    ] as const) {
      await page.getByLabel('SQL').pressSequentially(typed);
      await page
        .locator('.cm-tooltip-autocomplete')
        .getByRole('option')
        .first()
        .getByText('amount')
        .waitFor();
      await page.waitForTimeout(listRestsMs);
      await page.getByLabel('SQL').press(key);
      await expectEventually(() => sqlOf(page)).toMatch(whole);
    }
    await writeSql(page, 'SELECT city, amount FROM orders');
    await page.getByLabel('SQL').press('Control+Enter');
    await page.getByRole('cell', { name: 'Lagos' }).waitFor();
    await page.getByRole('button', { name: 'amount', exact: true }).click();
    expect(await column(page, 2)).toEqual(['12.5', '30', '100']);
    await page.getByRole('button', { name: 'amount', exact: true }).click();
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
    await page.getByRole('tab', { name: 'Chart' }).click();
    await page.getByRole('img', { name: 'Chart' }).locator('svg').waitFor();
    await page.getByLabel('Kind').selectOption('line');
    await page.getByLabel('Kind').selectOption('pie');
    await page.getByLabel('Kind').selectOption('number');
    await page.locator('.big-number').getByText('100').waitFor();
    await openPart(page, 'Export all rows');
    await page.getByLabel('Format').selectOption('csv');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const link = page.getByRole('link', { name: 'export.csv' });
    const file = await fetch((await link.getAttribute('href'))!);
    await close(page);
    await openPart(page, 'Exports');
    await page.getByRole('table', { name: 'Exports' }).getByText('succeeded').waitFor();
    expect(await file.text()).toBe('city,total\r\nFaro,100.0\r\nLagos,12.5\r\nPorto,30.0\r\n');
    await close(page);
    await chooseMore(page, 'Save as view');
    const view = page.getByRole('dialog', { name: 'Save as view' });
    await view.getByLabel('Name').fill('by_city');
    await view.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('link', { name: 'Open by_city' }).waitFor();
    // The name is taken now.
    await view.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('alert').waitFor();
    await close(page);
    await chooseMore(page, 'Save as calculated table');
    const calculated = page.getByRole('dialog', { name: 'Save as calculated table' });
    await calculated.getByLabel('Name').fill('built');
    await calculated.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('link', { name: 'Open built' }).click();
    await expectTitle(page, 'built');
    await page.getByText('fresh').waitFor();
    await page.reload();
    await page.getByRole('cell', { name: 'Lagos' }).waitFor();
    await page.getByRole('link', { name: 'Query', exact: true }).click();
    await openPart(page, 'Query history');
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
    await openPart(page, 'Query history');
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

  test('statements are open beside each other, and a reload keeps them', async () => {
    const { page, faults } = await querying();
    const tables = page.getByRole('complementary', { name: 'Tables and columns' });
    await tables.getByLabel('Search tables and columns').fill('amou');
    await page.getByLabel('SQL').pressSequentially('SELECT ');
    await page.keyboard.press('Escape');
    await tables.getByRole('button', { name: /^amount/ }).click();
    await tables.getByLabel('Search tables and columns').fill('');
    await page.getByLabel('SQL').press('Control+End');
    await page.keyboard.insertText(' FROM');
    await page.keyboard.press('Escape');
    await tables.getByRole('button', { name: 'orders', exact: true }).click();
    expect(await sqlOf(page)).toMatch(/^SELECT amount FROM\s?orders$/);
    await page.getByRole('button', { name: 'New statement' }).click();
    await expectEventually(() => sqlOf(page)).toBe('');
    await run(page, 'SELECT 8 AS eight');
    await page.getByRole('cell', { name: '8', exact: true }).waitFor();
    const open = page.getByRole('navigation', { name: 'Open statements' });
    await open.getByRole('button', { name: /^SELECT amount/ }).click();
    await expectEventually(() => sqlOf(page)).toContain('amount');
    await open.getByRole('button', { name: 'SELECT 8 AS eight', exact: true }).click();
    await page.getByRole('cell', { name: '8', exact: true }).waitFor();
    await page.reload();
    await expectEventually(() => sqlOf(page)).toBe('SELECT 8 AS eight');
    page.once('dialog', (dialog) => void dialog.accept());
    await open.getByRole('button', { name: /^Close SELECT amount/ }).click();
    await open.getByRole('button', { name: /^SELECT amount/ }).waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });

  test('a query with parameters is saved, opened by its address and changed; nobody is overwritten', async () => {
    const { page, client, faults } = await querying();
    await run(page, 'SELECT city FROM orders WHERE amount >= {{least}} ORDER BY city');
    await page.getByRole('alert').waitFor();
    await openPart(page, 'Types and defaults');
    const panel = page.getByRole('dialog', { name: 'Types and defaults' });
    await panel.getByLabel('Type').selectOption('number');
    await panel.getByLabel('Default value').fill('30');
    await close(page);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('cell', { name: 'Faro' }).waitFor();
    expect(await column(page, 1)).toEqual(['Faro', 'Porto']);
    await page.getByLabel('least', { exact: true }).fill('99');
    await page.getByLabel('SQL').press('Control+Enter');
    await page.getByRole('cell', { name: 'Porto' }).waitFor({ state: 'detached' });
    await openPart(page, 'Save query');
    await page.getByLabel('Name').fill(hostile[0]!);
    await page.getByLabel('Description').fill('Large ones');
    await page.getByRole('dialog').getByRole('button', { name: 'Save query' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await expectEventually(() => new URL(page.url()).search).toContain('query=sqy_');
    const address = page.url();
    const other = await page.context().newPage();
    await other.goto(address);
    await expectEventually(() => sqlOf(other)).toContain('{{least}}');
    expect(await other.getByLabel('least', { exact: true }).inputValue()).toBe('30');
    // Somebody else is faster.
    const [, id, project] = /query=(\w+)&project=(\w+)/.exec(address)!;
    const path = `/v1/projects/${project}/queries/${id}`;
    const theirs = await client.call('PATCH', path, { body: { description: 'Theirs' } });
    expect(theirs.status, theirs.text).toBe(200);
    await writeSql(other, 'SELECT 1 AS mine');
    await openPart(other, 'Save query');
    await other.getByRole('button', { name: 'Save changes' }).click();
    await other.getByText('Somebody changed the query after you opened it.').waitFor();
    await other.getByRole('button', { name: 'Replace it with mine' }).click();
    await other.getByRole('dialog').waitFor({ state: 'hidden' });
    expect((await client.call('GET', path)).body.data).toMatchObject({
      sql: 'SELECT 1 AS mine',
      revision: 3,
    });
    await page.getByRole('link', { name: 'Data' }).first().click();
    await page.getByRole('link', { name: 'Query', exact: true }).click();
    await openPart(page, 'Saved queries');
    await page.getByRole('link', { name: hostile[0]! }).waitFor();
    expect([await hasRun(page), faults]).toEqual([false, []]);
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
    await page.getByRole('tab', { name: 'Chart' }).click();
    await page.getByRole('img', { name: 'Chart' }).getByText(hostile[0]!).waitFor();
    expect([await hasRun(page), faults, elsewhere]).toEqual([false, [], []]);
  });

  test('it is accessible in light and dark colours, and fits a narrow window', async () => {
    const { page } = await querying();
    await run(page, 'SELECT city, amount, NULL AS nothing FROM orders');
    await page.getByRole('cell', { name: 'Lagos' }).waitFor();
    await inspect(page, 'query-answer');
    await page.getByRole('tab', { name: 'Chart' }).click();
    await page.getByRole('img', { name: 'Chart' }).locator('svg').waitFor();
    await inspect(page, 'query-chart');
    await openPart(page, 'Query history');
    await page.getByRole('cell', { name: 'succeeded' }).waitFor();
    await inspect(page, 'query-history');
    await close(page);
    await run(page, 'SELECT citty FROM orders');
    await page.getByRole('alert').waitFor();
    await inspect(page, 'query-marked');
  });
});
