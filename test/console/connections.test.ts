import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inspect } from '../api/pages/in-browser/inspect.ts';
import { expectTitle } from '../api/pages/in-browser/lab.ts';
import { describeInChromium } from '../support/chromium.ts';
import { startMcpServer, type TestMcpServer } from '../support/mcp-server.ts';
import { useSourceDatabase } from '../support/source-database.ts';
import { useWorker } from '../support/worker.ts';
import { useWorkspace } from '../support/workspace.ts';
import { chooseMore, hasRun, hostile, openPart, useConsole } from './opened.ts';

const workspace = useWorkspace();
useWorker(workspace);
const source = useSourceDatabase();

describeInChromium('connections', () => {
  const { opened, project } = useConsole(workspace);
  let tools: TestMcpServer;
  beforeAll(async () => {
    tools = await startMcpServer({
      tools: [
        {
          name: 'create_ticket',
          description: hostile[0]!,
          inputSchema: { type: 'object', properties: {} },
          run: () => ({ content: [{ type: 'text', text: 'done' }] }),
        },
      ],
    });
    await source.run(
      'CREATE TABLE shop.orders (id bigint PRIMARY KEY, city text)',
      "INSERT INTO shop.orders VALUES (1, 'Porto'), (2, 'Lagos')",
    );
  });
  afterAll(() => tools.close());

  const visit = async (page: Page) => {
    await page.getByRole('link', { name: 'Connections', exact: true }).first().click();
    await expectTitle(page, 'Connections');
  };
  /** Fills in the form for the source; its password may be wrong. */
  async function connect(page: Page, password: string) {
    await openPart(page, 'Connect a data source');
    await page.getByLabel('Type').selectOption('postgres');
    await page.getByLabel('Name', { exact: true }).fill(hostile[1]!);
    const { host, port, database, user } = source.config;
    for (const [label, value] of Object.entries({
      Host: host,
      Port: String(port),
      Database: database,
      User: user,
    }))
      await page.getByLabel(label, { exact: true }).fill(value);
    await page.getByLabel(/mode/).selectOption('disable');
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await expectTitle(page, hostile[1]!);
  }

  test('a source is connected by a form of what it needs, tested, looked at, and copied', async () => {
    const { page, client, faults } = await opened((client) => project(client));
    await visit(page);
    await connect(page, source.password);
    await page.getByRole('button', { name: 'Test connection', exact: true }).click();
    await page.getByText(/^The connection works/).waitFor();
    await page.getByText('There are no datasets yet.').waitFor();
    await openPart(page, 'Resources');
    const orders = page
      .getByRole('table', { name: 'Resources' })
      .getByRole('row')
      .filter({ hasText: 'shop.orders' });
    await orders.getByRole('button', { name: 'Start copying' }).click();
    await orders.getByText('Already added').waitFor();
    expect(await orders.getByRole('button', { name: 'Start copying' }).count()).toBe(0);
    const copied = page.getByRole('table', { name: 'Datasets' });
    await openPart(page, 'Datasets');
    await copied.getByText('never').waitFor();
    await openPart(page, 'Resources');
    await orders.getByRole('button', { name: 'Copy now' }).click();
    await orders.getByText('Copy: succeeded').waitFor();
    await openPart(page, 'Datasets');
    await copied.getByText('never').waitFor({ state: 'detached' });
    await openPart(page, /^Copies/);
    await page.getByText('succeeded', { exact: true }).waitFor();
    await copied.getByRole('link', { name: 'orders' }).click();
    await page.getByRole('cell', { name: 'Lagos' }).waitFor();
    await visit(page);
    await page.getByRole('link', { name: hostile[1]! }).click();
    await openPart(page, 'Settings');
    await page.getByText('Stored secrets: password.').waitFor();
    await openPart(page, 'Datasets');
    await page.getByRole('button', { name: 'Stop copying' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop copying' }).click();
    await page.getByText('There are no datasets yet.').waitFor();
    await chooseMore(page, 'Delete connection');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete connection' }).click();
    await page.getByText('There are no connections yet.').waitFor();
    expect((await client.call('GET', '/v1/connections/data')).body.items).toEqual([]);
    expect([await hasRun(page), faults]).toEqual([false, []]);
  });

  test('what a source and a form refuse is said where it is', async () => {
    const { page } = await opened((client) => project(client));
    await visit(page);
    await connect(page, 'a-wrong-password');
    await page.getByRole('button', { name: 'Test connection', exact: true }).click();
    await page.getByText('The test failed at login').waitFor();
    await openPart(page, 'Edit connection');
    const form = page.locator('form').filter({ has: page.getByRole('button', { name: 'Save and test' }) });
    const save = form.getByRole('button', { name: 'Save and test' });
    await form.getByLabel('Port', { exact: true }).fill('no port');
    await save.click();
    await form.locator('.fault').first().waitFor();
    await form.getByLabel('Port', { exact: true }).fill(String(source.config.port));
    await form.getByLabel('Description').fill('Of the shop');
    await form.getByLabel('Password', { exact: true }).fill(source.password);
    await save.click();
    await page.getByText(/^The connection works/).waitFor();
    await page.getByText('Of the shop', { exact: true }).first().waitFor();
    // The password is left out, and stays.
    await form.getByLabel('Description').fill('Of the whole shop');
    await save.click();
    await page.locator('p').filter({ hasText: 'Of the whole shop' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Test connection', exact: true }).click();
    await page.getByText(/^The connection works/).waitFor();
    await visit(page);
    await openPart(page, 'Connect a data source');
    await page.getByLabel('Type').selectOption('http');
    await page.getByLabel('Name', { exact: true }).fill('Shop');
    await page
      .getByLabel(/base url|address/i)
      .first()
      .fill('no address');
    await page.getByLabel(/auth/i).first().selectOption('none');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.locator('.fault').or(page.getByRole('alert')).first().waitFor();
    await page.route('**/v1/connections/data', (route) =>
      route.fulfill({ status: 422, json: { code: 'conflict', detail: 'Broken for a test.' } }),
    );
    await page.reload();
    await page.getByText('Broken for a test.').waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: hostile[1]! }).waitFor();
  });

  test('of an app each tool is decided on, and what it says of itself is text', async () => {
    const { page, client, faults } = await opened((client) => project(client));
    await visit(page);
    await openPart(page, 'Connect an app');
    await page.getByLabel('Name', { exact: true }).fill('Tickets');
    await page.getByLabel('MCP server address').fill(tools.url);
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await expectTitle(page, 'Tickets');
    await page.getByRole('button', { name: 'Refresh tools' }).click();
    await page.getByText(hostile[0]!).waitFor();
    await Promise.all([
      page.waitForResponse((response) => response.request().method() !== 'GET'),
      page.getByLabel('Policy of create_ticket').selectOption('allow'),
    ]);
    await page.reload();
    await page.getByText(hostile[0]!).waitFor();
    expect(await page.getByLabel('Policy of create_ticket').inputValue()).toBe('allow');
    const [{ id }] = (await client.call('GET', '/v1/connections/app')).body.items;
    const { items } = (await client.call('GET', `/v1/connections/app/${id}/tools`)).body;
    expect(items[0].policy).toBe('allow');
    expect([await hasRun(page), faults]).toEqual([false, []]);
  });

  test('its pages are accessible in light and dark colours, and fit a narrow window', async () => {
    const { page } = await opened((client) => project(client));
    await visit(page);
    await inspect(page, 'connections');
    await openPart(page, 'Connect a data source');
    await page.getByLabel('Type').waitFor();
    await inspect(page, 'connections-new');
    await page.reload();
    await connect(page, source.password);
    await openPart(page, 'Resources');
    await page.getByRole('button', { name: 'Start copying' }).first().click();
    await page.getByText('Already added').waitFor();
    await inspect(page, 'connection-resources');
    await openPart(page, 'Edit connection');
    await page.getByRole('button', { name: 'Save and test' }).waitFor();
    await inspect(page, 'connection-edit');
    await openPart(page, 'Datasets');
    await page.getByRole('button', { name: 'Copy now' }).first().click();
    await openPart(page, /^Copies/);
    await page.getByText('succeeded', { exact: true }).first().waitFor();
    await inspect(page, 'connection');
    await visit(page);
    await openPart(page, 'Connect an app');
    await page.getByLabel('Name', { exact: true }).fill('Tickets');
    await page.getByLabel('MCP server address').fill(tools.url);
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('button', { name: 'Refresh tools' }).click();
    await page.getByLabel('Policy of create_ticket').waitFor();
    await inspect(page, 'app-connection');
  });
});
