import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { inspect } from '../api/pages/in-browser/inspect.ts';
import { expectTitle } from '../api/pages/in-browser/lab.ts';
import { describeInChromium } from '../support/chromium.ts';
import { expectEventually } from '../support/eventually.ts';
import { useWorker } from '../support/worker.ts';
import { useWorkspace } from '../support/workspace.ts';
import { hasRun, hostile, useConsole } from './opened.ts';

const workspace = useWorkspace();
useWorker(workspace);

const csv = (name: string, text: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
const orders = csv('Orders 2026.csv', 'order_no,city,amount\nA1,Porto,12.5\nA2,Lagos,7\nA3,Porto,x\n');

describeInChromium('bringing a file in', () => {
  const { opened, project } = useConsole(workspace);

  /** At the choice of a file, in a project. */
  async function choosing() {
    const one = await opened((client) => project(client));
    await one.page.getByRole('link', { name: 'Import a file' }).click();
    await one.page.getByLabel('Choose files').waitFor();
    return one;
  }
  const grid = (page: Page) => page.getByRole('region', { name: 'Rows' });
  const typeOf = (page: Page, column: string) => page.getByLabel(`Type: ${column}`);

  test('a file is looked at, its columns are changed, and its rows become a table', async () => {
    const { page, client, faults } = await choosing();
    await page.getByLabel('Choose files').setInputFiles(orders);
    await grid(page).getByRole('cell', { name: 'Lagos' }).waitFor();
    await page.getByText('The first of 3 rows').waitFor();
    expect(await page.getByLabel('Table', { exact: true }).inputValue()).toBe('orders_2026');
    await page.getByText('Columns', { exact: true }).click();
    expect(await typeOf(page, 'amount').inputValue()).toBe('STRING');
    // Of which type each column is, is seen above its values.
    await grid(page).getByRole('columnheader', { name: 'amount STRING' }).waitFor();
    await typeOf(page, 'amount').selectOption('DOUBLE');
    await grid(page).getByRole('columnheader', { name: 'amount DOUBLE' }).waitFor();
    await page.getByText("1 row doesn't fit").waitFor();
    await page.getByRole('cell', { name: 'A3,Porto,x' }).waitFor();
    await page.getByLabel('Import: order_no').uncheck();
    await page.getByLabel('Name: city').fill('town');
    await page.getByLabel('Name: city').blur();
    await grid(page).getByRole('columnheader', { name: 'town' }).waitFor();
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByText('Nothing was imported').waitFor();
    await page.getByText(/^Line 4, column "amount"/).waitFor();
    // Everything after the upload has an address.
    await page.reload();
    await page.getByRole('link', { name: 'Change import settings' }).click();
    await page.getByText('Columns', { exact: true }).click();
    await typeOf(page, 'amount').selectOption('DOUBLE');
    await page.getByLabel("Rows that don't fit").selectOption('quarantine them');
    await page.getByLabel('Table', { exact: true }).fill('orders');
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByText('2 rows imported.').waitFor();
    await page.getByText('1 row was quarantined').waitFor();
    await page.getByRole('link', { name: 'Open table' }).click();
    await expectTitle(page, 'orders');
    await grid(page).getByRole('cell', { name: 'Lagos' }).waitFor();
    // The analyst of the project may read it.
    const [{ id }] = (await client.call('GET', '/v1/projects')).body.items;
    const entries = (await client.call('GET', `/v1/projects/${id}/catalog-entries`)).body.items;
    expect(entries.map(({ name }: { name: string }) => name)).toEqual(['orders']);
    expect(faults).toEqual([]);
  });

  test('a file that is dropped on any page is brought in, and its names are text', async () => {
    const { page, faults } = await opened((client) => project(client));
    await page.goto('/console/query');
    await expectTitle(page, 'Query');
    const name = 'a<img src=x onerror=ran=1>.csv';
    const text = `${JSON.stringify(hostile[0]).replaceAll('\\"', '""')},n\n<b>,1\n`;
    // In the page, whose types are not known here.
    await page.evaluate(`(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}));
      for (const kind of ['dragover', 'drop'])
        document.body.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer }));
    })()`);
    await grid(page).getByRole('columnheader', { name: hostile[0]! }).waitFor();
    await grid(page).getByRole('cell', { name: '<b>' }).waitFor();
    expect(await page.getByLabel('Table', { exact: true }).inputValue()).toBe('a_img_src_x_onerror_ran_1');
    expect([await hasRun(page), faults]).toEqual([false, []]);
  });

  test('each of several files that are dropped has its preview, and none is lost', async () => {
    const { page, client, faults } = await opened((client) => project(client));
    await page.goto('/console/query');
    await expectTitle(page, 'Query');
    await page.evaluate(`(() => {
      const dataTransfer = new DataTransfer();
      for (const name of ['one', 'two', 'three'])
        dataTransfer.items.add(new File(['in_' + name + '\\n1\\n'], name + '.csv'));
      for (const kind of ['dragover', 'drop'])
        document.body.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer }));
    })()`);
    await grid(page).getByRole('columnheader', { name: 'in_one' }).waitFor();
    const waiting = page.getByRole('navigation', { name: 'to review' });
    await waiting.getByText('2 more files to review:').waitFor();
    await waiting.getByRole('link', { name: 'three.csv' }).click();
    await grid(page).getByRole('columnheader', { name: 'in_three' }).waitFor();
    // The one that was left waits too, and the address has all of it.
    await page.reload();
    await grid(page).getByRole('columnheader', { name: 'in_three' }).waitFor();
    await waiting.getByRole('link', { name: 'one.csv' }).waitFor();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('1 row imported').waitFor();
    await waiting.getByRole('link', { name: 'two.csv' }).click();
    await grid(page).getByRole('columnheader', { name: 'in_two' }).waitFor();
    await waiting.getByText('1 more file to review:').waitFor();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('1 row imported').waitFor();
    await waiting.getByRole('link', { name: 'one.csv' }).waitFor();
    const { tables } = (await client.call('GET', '/v1/tables')).body;
    const own = tables.filter(({ kind }: { kind: string }) => kind !== 'system');
    expect(own.map(({ name }: { name: string }) => name).toSorted()).toEqual(['three', 'two']);
    expect(faults).toEqual([]);
  });

  test('how its text is read can be changed, and counts for the import too', async () => {
    const { page, faults } = await choosing();
    const file = csv('people.csv', 'name|born|dues\nAda|10.12.1815|1\nGrace|n/a|2\n');
    await page.getByLabel('Choose files').setInputFiles(file);
    await grid(page).getByRole('cell', { name: 'Ada' }).waitFor();
    await page.getByText('Text format').click();
    const between = page.getByLabel('Column separator');
    expect(await between.inputValue()).toBe('|');
    await between.selectOption('semicolon');
    await grid(page).getByRole('columnheader', { name: 'name|born|dues' }).waitFor();
    await between.selectOption('pipe');
    await grid(page).locator('th[title=STRING]', { hasText: 'born' }).waitFor();
    await page.getByLabel('Values read as empty').fill('n/a, ');
    await page.getByLabel('Values read as empty').blur();
    await page.getByLabel('Date format').fill('dd.MM.yyyy');
    await page.getByLabel('Date format').press('Enter');
    await grid(page).locator('th[title=DATE]', { hasText: 'born' }).waitFor();
    await page.getByLabel('Header line').fill('2');
    await page.getByLabel('Header line').blur();
    await grid(page).getByRole('columnheader', { name: 'Ada' }).waitFor();
    await page.getByLabel('Header line').fill('1');
    await page.getByLabel('Header line').blur();
    await page.getByLabel('Date format').fill('qq');
    await page.getByLabel('Date format').blur();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Date format').fill('dd.MM.yyyy');
    await page.getByLabel('Date format').blur();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByText('2 rows imported.').waitFor();
    await page.getByRole('link', { name: 'Open table' }).click();
    await expectTitle(page, 'people');
    await grid(page).getByRole('cell', { name: '1815-12-10' }).waitFor();
    expect(await page.title()).toBe('people · Workspace');
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
    expect(faults).toEqual([]);
  });

  test('quarantined rows are tried again when the table was changed', async () => {
    const { page, client, faults } = await choosing();
    await page.getByLabel('Choose files').setInputFiles(csv('visits.csv', 'who\n7\nnine\n'));
    await page.getByText('Columns', { exact: true }).click();
    await typeOf(page, 'who').selectOption('INTEGER');
    await page.getByText("1 row doesn't fit").waitFor();
    await page.getByLabel("Rows that don't fit").selectOption('quarantine them');
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByText('1 row was quarantined').waitFor();
    const [{ id }] = (await client.call('GET', '/v1/tables')).body.tables.filter(
      ({ name }: { name: string }) => name === 'visits',
    );
    const again = page.getByRole('button', { name: 'Retry these rows' });
    await again.click();
    await page.getByText(/^0 rows were added/).waitFor();
    const retyped = await client.call('PATCH', `/v1/grid/tables/${id}/columns/who`, {
      body: { data_type: 'STRING' },
    });
    expect(retyped.status, retyped.text).toBe(200);
    await again.click();
    await page.getByText(/^1 row was added/).waitFor();
    expect(faults).toEqual([]);
  });

  test('an import that is left, and a tab that is loaded anew, are attached all the same', async () => {
    const { page, client } = await choosing();
    let isHeld = true;
    // It runs for as long as the test wants.
    await page.route('**/v1/table-imports/*', async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      if (isHeld) Object.assign(json.data, { status: 'running', finishedAt: null });
      await route.fulfill({ response, json });
    });
    await page.getByLabel('Choose files').setInputFiles(orders);
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByText('Importing').waitFor();
    await page.getByRole('link', { name: 'Data' }).first().click();
    await expectTitle(page, 'Data');
    await page.reload();
    await expectTitle(page, 'Data');
    isHeld = false;
    const [{ id: projectId }] = (await client.call('GET', '/v1/projects')).body.items;
    const attached = async () =>
      (await client.call('GET', `/v1/projects/${projectId}/catalog-entries`)).body.items.map(
        ({ name }: { name: string }) => name,
      );
    await expectEventually(attached).toEqual(['orders_2026']);
    await expectEventually(() => page.evaluate(() => sessionStorage.getItem('imports'))).toBe(null);
  });

  test('a file that cannot be sent is let go of, or another is chosen', async () => {
    const { page } = await choosing();
    await page.route('**/files/uploads', (route) =>
      route.fulfill({ status: 422, json: { code: 'conflict', detail: 'Broken for a test.' } }),
    );
    await page.getByLabel('Choose files').setInputFiles(orders);
    await page.getByText('Broken for a test.').waitFor();
    await page.getByRole('button', { name: 'Choose another file' }).click();
    await page.getByLabel('Choose files').setInputFiles(orders);
    await page.getByText('Broken for a test.').waitFor();
    await page.getByRole('link', { name: 'Data' }).first().click();
    await expectTitle(page, 'Data');
    await page.getByRole('link', { name: 'Import a file' }).click();
    await page.getByLabel('Choose files').waitFor();
  });

  test('sample data is a table with one click from the first page, also where there is no project yet', async () => {
    const { page, client, faults, elsewhere } = await opened();
    // Whoever is refused tries again: the project that was made meanwhile is taken.
    await page.route('**/files/uploads', (route) =>
      route.fulfill({ status: 422, json: { code: 'conflict', detail: 'Broken for a test.' } }),
    );
    const look = page.getByRole('button', { name: /sample data/ });
    await look.click();
    await page.getByText('Broken for a test.').waitFor();
    await page.unroute('**/files/uploads');
    await look.click();
    await page.getByText('2,922 rows imported.').waitFor();
    await page.getByRole('link', { name: 'Ask about this table' }).click();
    const { items } = (await client.call('GET', '/v1/projects')).body;
    expect(items.map(({ name }: { name: string }) => name)).toEqual(['My project']);
    const entries = `/v1/projects/${items[0].id}/catalog-entries`;
    await expectEventually(async () => (await client.call('GET', entries)).body.items.length).toBe(1);
    await page.getByRole('link', { name: 'Data', exact: true }).click();
    await page.getByRole('link', { name: 'weather' }).waitFor();
    expect(await look.count()).toBe(0);
    // A second time it may have another name.
    await page.getByRole('link', { name: 'Import a file' }).click();
    await look.click();
    await page.getByText('The first of 2,922 rows').waitFor();
    // The storage takes the upload.
    expect(new Set(elsewhere.map((url) => new URL(url).origin)).size).toBeLessThan(2);
    expect(faults).toEqual([]);
  });

  test('what cannot be read says why, a name that is taken too, and an API that fails is asked again', async () => {
    const { page, client } = await choosing();
    await client.call('POST', '/v1/grid/tables', {
      body: { name: 'orders_2026', kind: 'data', columns: [{ name: 'a', data_type: 'STRING' }] },
    });
    await page.getByLabel('Choose files').setInputFiles(orders);
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByRole('alert').getByText('orders_2026').waitFor();
    await page.goto('/console/data');
    await page.getByRole('link', { name: 'Import a file' }).click();
    await page.getByLabel('Choose files').setInputFiles({
      ...{ name: 'a.parquet', mimeType: '', buffer: Buffer.from('PAR1 but not really') },
    });
    await page.getByRole('alert').waitFor();
    await page.route('**/previews', (route) =>
      route.fulfill({ status: 422, json: { code: 'conflict', detail: 'Broken for a test.' } }),
    );
    await page.reload();
    await page.getByText('Broken for a test.').waitFor();
    await page.unroute('**/previews');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Broken for a test.').waitFor({ state: 'detached' });
  });

  test('its pages are accessible in light and dark colours, and fit a narrow window', async () => {
    const { page } = await choosing();
    await inspect(page, 'choose-file');
    await page.getByLabel('Choose files').setInputFiles(orders);
    await page.getByText('Columns', { exact: true }).click();
    await typeOf(page, 'amount').selectOption('DOUBLE');
    await page.getByText("1 row doesn't fit").waitFor();
    await page.getByText('Text format').click();
    await inspect(page, 'preview');
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByText('Nothing was imported').waitFor();
    await inspect(page, 'import-failed');
    await page.getByRole('link', { name: 'Change import settings' }).click();
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByText('3 rows imported.').waitFor();
    await inspect(page, 'imported');
  });
});
