import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { inspect } from '../api/pages/in-browser/inspect.ts';
import { expectTitle } from '../api/pages/in-browser/lab.ts';
import { describeInChromium } from '../support/chromium.ts';
import { expectEventually } from '../support/eventually.ts';
import { useWorker } from '../support/worker.ts';
import { useWorkspace } from '../support/workspace.ts';
import { chooseMore, hasRun, hostile, openPart, useConsole } from './opened.ts';

const workspace = useWorkspace();
useWorker(workspace);

const cities = [
  { city: 'Porto', amount: 30 },
  { city: 'Lagos', amount: -4 },
];
const definitions = '/v1/verification-tests/definitions';

describeInChromium('tests of tables', () => {
  const { opened, table, project } = useConsole(workspace);

  async function tables() {
    let id = '';
    const one = await opened(async (client) => {
      await project(client);
      id = await table(client, 'orders', cities);
      await table(client, 'places', [{ city: 'Porto', amount: 1 }]);
    });
    return { ...one, id };
  }
  /** From the table to a new test of it. */
  async function defining(page: Page, id: string, name: string, kind: string) {
    await page.goto(`/console/tables/${id}`);
    await openPart(page, 'Tests');
    await page.getByRole('link', { name: 'Create a test for this table' }).click();
    await expectTitle(page, 'New test');
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByLabel('Kind of check').selectOption(kind);
  }
  const define = (page: Page) => page.getByRole('button', { name: 'Create test' }).click();

  test('one of each kind is defined as the service has them', async () => {
    const { page, client, faults, id } = await tables();
    await defining(page, id, 'debts', 'a condition on every row');
    await page.getByLabel('Condition').fill('amont >= 0');
    await define(page);
    await page.getByText(/amont/).first().waitFor();
    await page.getByLabel('Condition').fill('amount >= 0');
    await define(page);
    await expectTitle(page, 'debts');
    await defining(page, id, 'given', 'no missing values');
    await page.getByLabel('Add to Columns').selectOption('city');
    await page.getByLabel('Add to Columns').selectOption('amount');
    await define(page);
    await expectTitle(page, 'given');
    await defining(page, id, 'known', 'only accepted values');
    await page.getByLabel('Column', { exact: true }).selectOption('city');
    await page.getByLabel('Values').fill('Porto\nLagos\n');
    await define(page);
    await expectTitle(page, 'known');
    await defining(page, id, 'placed', 'values exist in another table');
    await page.getByLabel('Columns', { exact: true }).fill('city');
    await page.getByLabel('Other table').selectOption('places');
    await page.getByLabel('Add to Its columns').selectOption('city');
    await define(page);
    await expectTitle(page, 'placed');
    await defining(page, id, 'enough', 'number of rows');
    await page.getByLabel('At least').fill('1');
    await define(page);
    await expectTitle(page, 'enough');
    const { items } = (await client.call('GET', definitions)).body;
    expect(
      items.map(({ name, params }: { name: string; params: object }) => [name, params]).reverse(),
    ).toEqual([
      ['debts', { expression: 'amount >= 0' }],
      ['given', { columns: ['city', 'amount'] }],
      ['known', { column: 'city', values: ['Porto', 'Lagos'] }],
      ['placed', { columns: ['city'], to_table_id: expect.stringMatching(/^tbl_/), to_columns: ['city'] }],
      ['enough', { min: 1 }],
    ]);
    expect(items[0].target).toEqual({ tableId: id });
    expect(faults).toEqual([]);
  });

  test('it is found from its result, changed, excepted for a table, and deleted', async () => {
    const { page, client, faults, id } = await tables();
    await defining(page, id, hostile[0]!, 'a condition on every row');
    await page.getByLabel('Condition').fill('amount >= 0');
    await define(page);
    await expectTitle(page, hostile[0]!);
    await page.getByRole('link', { name: 'Open table' }).click();
    await openPart(page, 'Tests');
    await page.getByRole('button', { name: 'Run tests' }).click();
    await page.getByText(/· tests fail ·/).waitFor();
    await page.getByRole('link', { name: hostile[0]! }).click();
    await expectTitle(page, hostile[0]!);
    expect(await page.getByLabel('Kind of check').isDisabled()).toBe(true);
    await page.getByLabel('If rows fail').selectOption('warn');
    await page.getByLabel('Which tables').selectOption('tables that match at each run');
    await page.getByLabel('Name pattern').fill('^orders');
    await page.getByRole('button', { name: 'Save test' }).click();
    await page.getByText('Saved.').waitFor();
    const [{ id: definitionId, severity, target, revision }] = (await client.call('GET', definitions)).body
      .items;
    expect([severity, target, revision]).toEqual(['warn', { selector: { namePattern: '^orders' } }, 2]);
    // Somebody else changes it meanwhile; what one has written is not lost.
    const path = `${definitions}/${definitionId}`;
    expect((await client.call('PATCH', path, { body: { description: 'Theirs.' } })).status).toBe(200);
    await page.getByLabel('Description').fill('Mine.');
    await page.getByRole('button', { name: 'Save test' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('Description').inputValue()).toBe('Mine.');
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('link', { name: 'Data', exact: true }).first().click();
    await page.getByRole('link', { name: 'Tests', exact: true }).click();
    await expectTitle(page, 'Tests');
    await page.getByRole('link', { name: hostile[0]! }).click();
    await openPart(page, 'Exceptions');
    await page.getByText('There are no exceptions.').waitFor();
    await page.getByLabel('Where').selectOption('orders');
    await page.getByLabel('Reason').fill('They may owe.');
    await page.getByRole('button', { name: 'Add exception' }).click();
    const exceptions = page.getByRole('table', { name: 'Exceptions' });
    await exceptions.getByText('They may owe.').waitFor();
    await exceptions.getByText('off', { exact: true }).waitFor();
    const { items } = (await client.call('GET', '/v1/verification-tests/overlays')).body;
    expect(items).toMatchObject([{ definitionId, tableId: id, enabled: false, reason: 'They may owe.' }]);
    await exceptions.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('There are no exceptions.').waitFor();
    await chooseMore(page, 'Delete test');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete test' }).click();
    await page.getByText('There are no tests yet.').waitFor();
    await expectEventually(async () => (await client.call('GET', definitions)).body.items.length).toBe(0);
    expect([await hasRun(page), faults]).toEqual([false, []]);
  });

  test('what nobody changed stays as it is, of whatever type', async () => {
    const { page, client, id, faults } = await tables();
    const values = ['', ' ', 'two\nlines', '"quoted', 'true', true, 1, 'Porto'];
    const made = await client.call('POST', definitions, {
      body: {
        name: 'mixed',
        kind: 'accepted_values',
        params: { column: 'city', values },
        target: { selector: {} },
      },
    });
    expect(made.status, made.text).toBe(201);
    const path = `${definitions}/${made.body.data.id}`;
    const params = async () => (await client.call('GET', path)).body.data.params;
    await page.goto(`/console/tests/${made.body.data.id}`);
    await page.getByText(/the test applies to all tables of the organization/).waitFor();
    const save = async () => {
      await page.getByRole('button', { name: 'Save test' }).click();
      await page.getByText('Saved.').waitFor();
    };
    await page.getByLabel('Description').fill('Of all kinds.');
    await save();
    expect(await params()).toEqual({ column: 'city', values });
    const field = page.getByLabel('Values');
    await field.fill(`${await field.inputValue()}\nFaro`);
    await save();
    expect(await params()).toEqual({ column: 'city', values: [...values, 'Faro'] });
    // Numbers that a browser cannot keep are left alone.
    const large = { params: { column: 'city', values: [1234567890123456] } };
    expect((await client.call('PATCH', path, { body: large })).status).toBe(200);
    await page.reload();
    await page.getByText(/more digits than a browser can keep/).waitFor();
    expect(await field.isEditable()).toBe(false);
    // A test that does not fit its table any more can be switched off all the same.
    const column = `/v1/grid/tables/${id}/columns`;
    expect((await client.call('POST', column, { body: { name: 'b', data_type: 'STRING' } })).status).toBe(
      201,
    );
    const strict = await client.call('POST', definitions, {
      body: { name: 'b', kind: 'not_null', params: { columns: ['b'] }, target: { table_id: id } },
    });
    expect((await client.call('DELETE', `${column}/b?confirm=true`)).status).toBe(200);
    await page.goto(`/console/tests/${strict.body.data.id}`);
    await page.getByLabel('Enabled').uncheck();
    await save();
    const { enabled } = (await client.call('GET', `${definitions}/${strict.body.data.id}`)).body.data;
    expect([enabled, faults]).toEqual([false, []]);
  });

  test('an exception for all tables is asked for twice, and one for a table that is gone is none', async () => {
    const { page, client, id } = await tables();
    await defining(page, id, 'debts', 'a condition on every row');
    await page.getByLabel('Condition').fill('amount >= 0');
    await define(page);
    await expectTitle(page, 'debts');
    await openPart(page, 'Exceptions');
    await page.getByLabel('Where').selectOption('places');
    const { tables: all } = (await client.call('GET', '/v1/tables')).body;
    const places = all.find(({ name }: { name: string }) => name === 'places').id;
    expect((await client.call('DELETE', `/v1/tables/${places}?confirm=true`)).status).toBe(200);
    await page.getByRole('button', { name: 'Add exception' }).click();
    await page.getByRole('alert').waitFor();
    const overlays = async () => (await client.call('GET', '/v1/verification-tests/overlays')).body.items;
    expect(await overlays()).toEqual([]);
    await page.getByLabel('Where').selectOption('everywhere');
    await page.getByRole('button', { name: 'Add exception' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Add exception' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Add exception' }).click();
    await page.getByRole('table', { name: 'Exceptions' }).getByText('everywhere').waitFor();
    expect(await overlays()).toMatchObject([{ tableId: null, projectId: null, enabled: false }]);
  });

  test('an API that fails is told, and asked again', async () => {
    const { page } = await tables();
    const broken = { status: 422, json: { code: 'conflict', detail: 'Broken for a test.' } };
    await page.route('**/verification-tests/**', (route) => route.fulfill(broken));
    await page.goto('/console/tests');
    await page.getByText('Broken for a test.').waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('There are no tests yet.').waitFor();
    await page.goto('/console/tests/vtd_of_somebody_else');
    await page.getByRole('alert').waitFor();
  });

  test('its pages are accessible in light and dark colours, and fit a narrow window', async () => {
    const { page, id } = await tables();
    await defining(page, id, 'placed', 'values exist in another table');
    await page.getByLabel('Add to Columns').selectOption('city');
    await page.getByLabel('Other table').selectOption('places');
    await page.getByLabel('Add to Its columns').selectOption('city');
    await inspect(page, 'new-test');
    await define(page);
    await expectTitle(page, 'placed');
    await openPart(page, 'Exceptions');
    await page.getByLabel('Where').selectOption('places');
    await page.getByRole('button', { name: 'Add exception' }).click();
    await page.getByRole('table', { name: 'Exceptions' }).waitFor();
    await inspect(page, 'test');
    await page.getByRole('link', { name: 'Data', exact: true }).first().click();
    await page.getByRole('link', { name: 'Tests', exact: true }).click();
    await page.getByRole('link', { name: 'placed' }).waitFor();
    await inspect(page, 'tests');
  });
});
