import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { inspect } from '../api/pages/in-browser/inspect.ts';
import { expectTitle } from '../api/pages/in-browser/lab.ts';
import { describeInChromium } from '../support/chromium.ts';
import { dashboardsOf } from '../support/dashboards.ts';
import { expectEventually } from '../support/eventually.ts';
import { useWorker } from '../support/worker.ts';
import { type TestClient, useWorkspace } from '../support/workspace.ts';
import { chooseMore, hasRun, hostile, openPart, useConsole, writeSql } from './opened.ts';

const workspace = useWorkspace();
useWorker(workspace);

const cities = [
  { city: 'Porto', amount: 30 },
  { city: 'Lagos', amount: 12.5 },
  { city: 'Faro', amount: 100 },
];
const csv = 'city,amount\nPorto,30\nLagos,12.5\nFaro,100\nPorto,7\n';

describeInChromium('dashboards', () => {
  const { opened, table, project, lab } = useConsole(workspace);

  /** A dashboard with a filter, a chart, a number, a pivot table, a text, and a tile that fails. */
  async function made(client: TestClient, { title = '', name = 'Sales' } = {}) {
    await table(client, 'orders', cities);
    const projectId = await project(client);
    const { query, dashboard } = dashboardsOf(client, () => projectId);
    const parameters = { least: { type: 'number', default: 0 } };
    const byCity = await query(
      'SELECT city, sum(amount) AS total FROM orders WHERE amount >= {{least}} GROUP BY city ORDER BY city',
      { name: 'By city', parameters, chart: { type: 'bar', x: 'city', y: ['total'] } },
    );
    const total = await query('SELECT sum(amount) AS total FROM orders WHERE amount >= {{least}}', {
      ...{ name: 'Total', parameters, chart: { type: 'number', y: ['total'] } },
    });
    const rows = await query('SELECT city, amount FROM orders ORDER BY amount', { name: 'Rows' });
    const broken = await query('SELECT nothing FROM orders', { name: 'Broken' });
    const bindings = { least: 'least' };
    const id = await dashboard({
      name,
      filters: [{ name: 'least', label: 'At least', type: 'number', default: 0 }],
      tiles: [
        { kind: 'text', text: `Read **this** first. ${title}`, x: 0, y: 0, width: 24, height: 2 },
        { kind: 'query', query_id: byCity, title, x: 0, y: 2, width: 12, height: 8, bindings },
        { kind: 'query', query_id: total, x: 12, y: 2, width: 6, height: 4, bindings },
        { kind: 'query', query_id: rows, x: 12, y: 6, width: 12, height: 4 },
        { kind: 'query', query_id: broken, x: 18, y: 2, width: 6, height: 4 },
      ],
    });
    const path = `/v1/projects/${projectId}/dashboards/${id}`;
    return { projectId, id, path, address: path.replace('/v1/', '/console/') };
  }
  /** A page that shows it. */
  async function shown(options?: Parameters<typeof made>[1]) {
    let board!: Awaited<ReturnType<typeof made>>;
    const one = await opened(async (client) => {
      board = await made(client, options);
    });
    await one.page.goto(board.address);
    await expectTitle(one.page, options?.name ?? 'Sales');
    return { ...one, ...board };
  }
  const tile = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
  const shownTotal = (page: Page) => tile(page, 'Total').locator('.big-number strong').textContent();

  test('from a file to a query, a chart, a dashboard of three tiles, and a share without a session', async () => {
    const { page, client, faults } = await opened(async (prepared) => {
      await project(prepared);
    });
    await page.goto('/console/in-project/import');
    await expectTitle(page, 'Import a file');
    await page
      .locator('input[type="file"]')
      .first()
      .setInputFiles({ name: 'orders.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('4 rows imported.').waitFor();
    await page.getByRole('link', { name: 'Query', exact: true }).click();
    for (const [sql, name, kind] of [
      ['SELECT city, sum(amount) AS total FROM orders GROUP BY city ORDER BY city', 'By city', 'bar'],
      ['SELECT sum(amount) AS total FROM orders', 'Total', 'number'],
      ['SELECT city, amount FROM orders ORDER BY ALL', 'All', 'table'],
    ] as const) {
      await writeSql(page, sql);
      await page.getByLabel('SQL').press('Control+Enter');
      await page.getByText(/^\d+ rows? ·/).waitFor();
      await page.getByRole('tab', { name: 'Chart' }).click();
      await page.getByLabel('Kind').selectOption(kind);
      await openPart(page, 'Add to dashboard');
      const panel = page.getByRole('dialog', { name: 'Add to dashboard' });
      await panel.getByLabel('Title of the tile').fill(name);
      if (kind === 'bar') await panel.getByLabel('Name of the dashboard').fill('Sales');
      await panel.getByRole('button', { name: 'Add', exact: true }).click();
      await panel.getByRole('link', { name: 'Open Sales' }).waitFor();
      if (kind === 'table') await panel.getByRole('link', { name: 'Open Sales' }).click();
      else {
        await panel.getByRole('button', { name: 'Close', exact: true }).click();
        await panel.waitFor({ state: 'hidden' });
      }
    }
    await expectTitle(page, 'Sales');
    await tile(page, 'By city').locator('svg').first().waitFor();
    await expectEventually(() => shownTotal(page)).toBe('149.5');
    await tile(page, 'All').getByRole('cell', { name: 'Lagos' }).first().waitFor();
    await openPart(page, 'Share');
    const panel = page.getByRole('dialog', { name: 'Share' });
    await panel.getByRole('button', { name: 'Create link' }).click();
    const url = await panel.getByLabel('Link', { exact: true }).inputValue();
    const stranger = await (await lab.newContext()).newPage();
    await stranger.goto(new URL(url).pathname);
    await stranger.getByText('149.5').first().waitFor();
    await panel.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').nth(1).getByRole('button', { name: 'Revoke' }).click();
    await panel.getByText('revoked').waitFor();
    await stranger.reload();
    await stranger.getByText('The link has ended').waitFor();
    expect(faults).toEqual([]);
    expect((await client.call('GET', '/v1/shares')).body.items).toHaveLength(1);
  });

  test('a filter is in the address, a tile that fails leaves the others, and newer data comes by itself', async () => {
    const { page, client, address, faults } = await shown();
    await tile(page, 'By city').locator('svg').first().waitFor();
    await tile(page, 'Broken').getByText("This tile can't be shown.").waitFor();
    await page.getByText('as of').waitFor();
    expect(await shownTotal(page)).toBe('142.5');
    await page.getByLabel('At least').fill('30');
    await page.getByLabel('At least').press('Enter');
    await expectEventually(() => shownTotal(page)).toBe('130');
    expect(new URL(page.url()).search).toBe('?filter.least=30');
    await page.goto(`${address}?filter.least=99`);
    await expectEventually(() => shownTotal(page)).toBe('100');
    expect(await page.getByLabel('At least').inputValue()).toBe('99');
    await page.getByRole('button', { name: 'Reset filters' }).click();
    await expectEventually(() => shownTotal(page)).toBe('142.5');
    const { tables } = (await client.call('GET', '/v1/tables')).body;
    const orders = tables.find(({ name }: { name: string }) => name === 'orders').id;
    const rows = [{ s_id: 9, city: 'Braga', amount: 7.5 }];
    expect((await client.call('POST', `/v1/tables/${orders}/rows`, { body: { rows } })).status).toBe(200);
    await page.getByRole('button', { name: 'Newer data' }).click();
    await expectEventually(() => shownTotal(page)).toBe('150');
    const more = [{ s_id: 10, city: 'Braga', amount: 50 }];
    expect((await client.call('POST', `/v1/tables/${orders}/rows`, { body: { rows: more } })).status).toBe(
      200,
    );
    // Nobody asks for it.
    await page.locator('.big-number').getByText('200').waitFor();
    await tile(page, 'Total').hover();
    await tile(page, 'Total').getByRole('button', { name: 'Actions for Total' }).click();
    await page.getByRole('menuitem', { name: 'Open in Query' }).click();
    await expectTitle(page, 'Query');
    await page.getByLabel('least', { exact: true }).waitFor();
    expect(faults).toEqual([]);
  });

  test('tiles are moved and resized by the keyboard and the pointer, bound, added, removed and saved', async () => {
    const { page, client, path, faults } = await shown();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const move = page.getByRole('button', { name: 'Move Total' });
    await move.focus();
    for (const key of ['ArrowRight', 'ArrowDown']) await page.keyboard.press(key);
    await page.getByText('Total: column 14, row 4, 6 wide, 4 high').waitFor({ state: 'attached' });
    await expectEventually(() => page.locator(':focus').getAttribute('aria-label')).toBe('Move Total');
    await page.getByRole('button', { name: 'Resize Total' }).focus();
    for (const key of ['ArrowLeft', 'ArrowUp']) await page.keyboard.press(key);
    const handle = (await page.getByRole('button', { name: 'Move By city' }).boundingBox())!;
    await page.mouse.move(handle.x + 5, handle.y + 5);
    await page.mouse.down();
    await page.mouse.move(handle.x + 5, handle.y + 5 + 48 * 10, { steps: 4 });
    await page.mouse.up();
    await page.getByRole('button', { name: 'Actions for Broken' }).click();
    await page.getByRole('menuitem', { name: 'Remove tile' }).click();
    await page.getByRole('button', { name: 'Add tile' }).click();
    await page.getByRole('menuitem', { name: 'Add text' }).click();
    const settings = page.getByRole('dialog', { name: 'Tile settings' });
    await settings.getByLabel('Text in Markdown').fill('## Written here');
    await settings.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByRole('heading', { name: 'Written here' }).waitFor();
    // A reload loses nothing.
    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.getByRole('heading', { name: 'Written here' }).waitFor();
    await page.getByRole('button', { name: 'Actions for By city' }).click();
    await page.getByRole('menuitem', { name: 'Tile settings' }).click();
    await settings.getByLabel('Own chart instead of that of the query').check();
    await settings.getByLabel('Kind').selectOption('line');
    await settings.getByLabel('Value of least').selectOption('');
    await settings.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Edit', exact: true }).waitFor();
    await tile(page, 'By city').locator('svg').first().waitFor();
    const { tiles } = (await client.call('GET', path)).body.data;
    const places = tiles.map(({ kind, x, y, width, height }: Record<string, unknown>) => [
      kind,
      x,
      y,
      width,
      height,
    ]);
    expect(places).toContainEqual(['query', 13, 3, 5, 3]);
    expect(places).toContainEqual(['query', 0, 12, 12, 8]);
    expect(tiles).toHaveLength(5);
    expect(tiles.find(({ chart }: { chart: unknown }) => chart !== null)).toMatchObject({
      ...{ chart: { type: 'line' }, bindings: {} },
    });
    expect(faults).toEqual([]);
  });

  test('of two tabs that save, the second one is asked, and loses nothing', async () => {
    const { page, client, path, address, faults } = await shown();
    await page.goto(`${address}?edit=yes`);
    const name = page.getByLabel('Name of the dashboard');
    await name.fill('Mine');
    const theirs = await client.call('PATCH', path, { body: { name: 'Theirs' } });
    expect(theirs.status, theirs.text).toBe(200);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Somebody saved this dashboard while you were editing it.').waitFor();
    expect(await name.inputValue()).toBe('Mine');
    await page.getByRole('button', { name: 'Save mine over theirs' }).click();
    await expectTitle(page, 'Mine');
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await name.fill('Mine again');
    expect((await client.call('PATCH', path, { body: { name: 'Theirs' } })).status).toBe(200);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Discard mine and show theirs' }).click();
    await expectTitle(page, 'Theirs');
    expect(faults).toEqual([]);
  });

  test('names are text, and it is downloaded and deleted', async () => {
    const { page, faults, elsewhere } = await shown({ title: hostile[1]!, name: hostile[0]! });
    await tile(page, hostile[1]!).locator('svg').first().waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      chooseMore(page.locator('.page-head'), 'Download PDF', page),
    ]);
    expect((await readFile(await file.path())).subarray(0, 5).toString()).toBe('%PDF-');
    await page.getByRole('link', { name: 'Dashboards' }).first().click();
    await page.getByRole('link', { name: hostile[0]! }).click();
    await chooseMore(page.locator('.page-head'), 'Delete dashboard', page);
    await page.getByRole('button', { name: 'Delete dashboard' }).click();
    await page.getByText('This project has no dashboards yet.').waitFor();
    expect([await hasRun(page), faults, elsewhere]).toEqual([false, [], []]);
  });

  test('it is accessible in light and dark colours, and fits a narrow window', async () => {
    const { page, address } = await shown();
    await tile(page, 'By city').locator('svg').first().waitFor();
    await inspect(page, 'dashboard');
    await openPart(page, 'Share');
    await page.getByRole('button', { name: 'Create link' }).waitFor();
    await inspect(page, 'dashboard-share');
    await page.goto(`${address}?edit=yes`);
    await tile(page, 'By city').locator('svg').first().waitFor();
    await inspect(page, 'dashboard-edit');
    await page.getByRole('link', { name: 'Dashboards' }).first().click();
    await page.getByRole('link', { name: 'Sales' }).waitFor();
    await inspect(page, 'dashboards');
  });
});
