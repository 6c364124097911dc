import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inspect } from '../api/pages/in-browser/inspect.ts';
import { expectTitle } from '../api/pages/in-browser/lab.ts';
import { describeInChromium } from '../support/chromium.ts';
import { useModelServer } from '../support/conversations.ts';
import { expectEventually } from '../support/eventually.ts';
import { startMcpServer, type TestMcpServer } from '../support/mcp-server.ts';
import type { ModelReply, ModelRequestBody } from '../support/model-server.ts';
import { useWorker } from '../support/worker.ts';
import { type TestClient, useOwnWorkspace } from '../support/workspace.ts';
import { chooseMore, hasRun, hostile, openPart, sqlOf, useConsole } from './opened.ts';

/** What the model answers next, where a test says it. */
let script: ((request: ModelRequestBody) => ModelReply)[] = [];
const models = useModelServer((request) => script.shift()?.(request) ?? { text: 'Done.' });
const workspace = useOwnWorkspace({ trustedProxies: ['127.0.0.1'] }, () => ({
  ...models.environment(),
  ALLOWED_PRIVATE_ADDRESSES: '127.0.0.0/8',
}));
useWorker(workspace);

const cities = [
  { city: 'Porto', amount: 30 },
  { city: 'Lagos', amount: 12.5 },
  { city: 'Porto', amount: 2 },
];

describeInChromium('asking the analyst', () => {
  const { opened, table, project } = useConsole(workspace);
  let tools: TestMcpServer;
  beforeAll(async () => {
    tools = await startMcpServer({
      tools: [
        {
          name: 'create_ticket',
          description: hostile[0]!,
          inputSchema: { type: 'object', properties: { title: { type: 'string' } } },
          run: ({ title }) => ({ content: [{ type: 'text', text: `Ticket of ${title}` }] }),
        },
      ],
    });
  });
  afterAll(() => tools.close());

  const question = (page: Page) => page.getByLabel('Your question').last();
  async function ask(page: Page, text: string) {
    await question(page).fill(text);
    await question(page).press('Enter');
  }
  const said = (page: Page) => page.getByRole('list', { name: 'Messages' }).locator('> li');

  /** A project of one conversation, which is open. */
  async function talking(
    prepare: (client: TestClient) => Promise<unknown> = async () => undefined,
    path = '',
  ) {
    let chat = '';
    const one = await opened(async (client) => {
      await prepare(client);
      const projectId = await project(client);
      const made = await client.call('POST', `/v1/projects/${projectId}/conversations`, {
        body: { title: 'A talk' },
      });
      chat = `/console/projects/${projectId}/ask/${made.body.data.id}`;
    });
    await one.page.goto(chat + path);
    await expectTitle(one.page, 'A talk');
    return one;
  }

  test('from no project to an answer with its statement, rows, chart and report', async () => {
    const { page, faults, elsewhere } = await opened((client) => table(client, 'orders', cities));
    await page.getByRole('link', { name: 'Ask' }).first().click();
    await page.getByRole('button', { name: 'Create project' }).click();
    await expectTitle(page, 'Ask');
    await page.getByText('This project has no conversations yet.').waitFor();
    await page.getByText('Tables the analyst can read here').click();
    await page.getByLabel('Table or view to attach').selectOption('orders');
    await page.getByRole('button', { name: 'Attach', exact: true }).click();
    await page.getByRole('button', { name: 'Detach' }).waitFor();
    await page.getByLabel('Model').selectOption('offline');
    await ask(page, 'total amount by city as a bar chart');
    await expectTitle(page, 'total amount by city as a bar chart');
    await page.getByRole('img', { name: 'Total of amount by city' }).locator('svg').waitFor();
    // Its values are in the chart and in the table of the answer.
    await page.getByRole('cell', { name: '32' }).waitFor();
    await page.getByText(/^run_sql/).click();
    await page.getByRole('region', { name: 'Rows' }).getByRole('cell', { name: 'Lagos' }).waitFor();
    await page.getByRole('link', { name: 'Open as query' }).click();
    await expectTitle(page, 'Query');
    expect(await sqlOf(page)).toContain('sum("amount")');
    await page.goBack();
    await openPart(page, 'Pin to dashboard');
    const pin = page.getByRole('dialog', { name: 'Pin to dashboard' });
    expect(await pin.getByLabel('Title of the tile').inputValue()).toBe('Total of amount by city');
    await pin.getByLabel('Name of the dashboard').fill('Pinned');
    await pin.getByRole('button', { name: 'Add', exact: true }).click();
    await pin.getByRole('link', { name: 'Open Pinned' }).click();
    await expectTitle(page, 'Pinned');
    await page.getByRole('img', { name: 'Total of amount by city' }).locator('svg').waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Open in Query' }).waitFor();
    await page.getByRole('button', { name: 'Save as report' }).click();
    await page.getByRole('link', { name: 'Open report' }).waitFor();
    await page.getByRole('link', { name: 'Ask' }).first().click();
    await page.getByRole('link', { name: 'total amount by city as a bar chart' }).waitFor();
    expect([faults, elsewhere]).toEqual([[], []]);
  });

  test('an answer is written as one looks, over a reload and a lost connection', async () => {
    const words = Array.from({ length: 200 }, (_, at) => `word${at} `);
    script = [() => ({ text: words, delayMs: 50 })];
    const { page, faults } = await talking();
    await ask(page, 'Tell me everything.');
    const reply = said(page).nth(1);
    await reply.getByText('word3').waitFor();
    await question(page).fill('And what I have not sent yet');
    await page.reload();
    await reply.getByText('word3').waitFor();
    await expectEventually(() => question(page).inputValue()).toBe('And what I have not sent yet');
    await page.context().setOffline(true);
    await page.context().setOffline(false);
    await reply.getByText('word199').waitFor({ timeout: 120_000 });
    const text = (await reply.locator('p').first().textContent())!;
    expect(text.trim()).toBe(words.join('').trim());
    expect(await said(page).count()).toBe(2);
    expect(faults).toEqual([]);
  });

  test('a reply is stopped, what waits behind it is held, changed, removed and goes on', async () => {
    script = [() => ({ endless: { delta: 'more ', everyMs: 50 } })];
    const { page } = await talking();
    await ask(page, 'Never stop.');
    await said(page).nth(1).getByText('more more').waitFor();
    // However long it gets, what one may do about it is in sight.
    const stop = page.getByRole('button', { name: 'Stop' });
    const isTall = () => page.evaluate<boolean>('document.documentElement.scrollHeight > 2 * innerHeight');
    await page.setViewportSize({ width: 360, height: 400 });
    await expectEventually(isTall).toBe(true);
    for (const place of [stop, question(page)])
      expect(await place.evaluate((element) => element.getBoundingClientRect().bottom)).toBeLessThan(400);
    await page.setViewportSize({ width: 1280, height: 800 });
    await ask(page, 'The next one.');
    await ask(page, 'One that nobody needs.');
    const waiting = page.getByRole('region', { name: 'Queued questions' });
    await waiting.getByText('One that nobody needs.').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped.').waitFor();
    await waiting.getByText('You stopped a reply').waitFor();
    await waiting.getByRole('button', { name: 'Remove' }).last().click();
    await waiting.getByText('One that nobody needs.').waitFor({ state: 'detached' });
    await waiting.getByRole('button', { name: 'Edit' }).click();
    await waiting.getByLabel('Your question').fill('The next one, changed.');
    await waiting.getByRole('button', { name: 'Save' }).click();
    await waiting.getByText('The next one, changed.').waitFor();
    await waiting.getByRole('button', { name: 'Resume' }).click();
    await said(page).nth(3).getByText('Done.').waitFor();
    expect(await said(page).nth(2).textContent()).toContain('The next one, changed.');
    await waiting.waitFor({ state: 'detached' });
  });

  test('a call that a person has to allow is shown as it is, and made once it is allowed', async () => {
    const { page } = await talking(async (client) => {
      const body = { name: 'Tickets', type: 'mcp', url: tools.url };
      const made = await client.call('POST', '/v1/connections/app', { body });
      const tool = `/v1/connections/app/${made.body.data.id}/tools/create_ticket`;
      expect((await client.call('PUT', tool, { body: { policy: 'ask' } })).status).toBe(200);
    });
    const calls = ({ tools: offered = [] }: ModelRequestBody): ModelReply => ({
      toolCalls: [
        {
          name: offered.find(({ function: { name } }) => name.endsWith('create_ticket')).function.name,
          arguments: JSON.stringify({ title: `${hostile[0]}\u202eabc` }),
        },
      ],
    });
    script = [calls, () => ({ text: hostile[1]! }), calls];
    await ask(page, 'File a ticket.');
    const asks = page.getByRole('region', { name: /^The analyst wants to use .*create_ticket/ });
    await asks.getByText('<img src=x').waitFor();
    // What would turn the text around is written out, for whoever decides on it.
    expect(await asks.locator('pre').textContent()).toContain('\\u202eabc');
    await asks.getByRole('button', { name: 'Allow' }).click();
    await asks.waitFor({ state: 'detached' });
    await said(page).nth(1).getByText(hostile[1]!).waitFor();
    await ask(page, 'And another.');
    await asks.getByLabel('Note to the analyst').fill('Not today.');
    await asks.getByRole('button', { name: 'Deny' }).click();
    await said(page).nth(3).getByText('Done.').waitFor();
    await page.getByText('denied').waitFor();
    expect(await hasRun(page)).toBe(false);
  });

  test('what a model and a tool say is text', async () => {
    const markdown = `${hostile.join('\n\n')}\n\n[a](javascript:ran=1) ![p](http://127.0.0.1:9/p.png)`;
    script = [() => ({ text: markdown })];
    const { page, faults, elsewhere } = await talking();
    await ask(page, hostile[0]!);
    await said(page).nth(0).getByText(hostile[0]!).waitFor();
    for (const text of hostile) await said(page).nth(1).getByText(text.trim()).waitFor();
    const link = said(page).nth(1).getByText('a', { exact: true });
    expect(await link.getAttribute('href')).toBe('');
    expect([await hasRun(page), faults, elsewhere]).toEqual([false, [], []]);
  });

  test('an API that fails is told, and asked again', async () => {
    const { page } = await talking();
    let isBroken = true;
    await page.route('**/conversations/cnv_*', (route) =>
      isBroken
        ? route.fulfill({ status: 422, json: { code: 'conflict', detail: 'Broken for a test.' } })
        : route.continue(),
    );
    await page.route('**/messages', (route) =>
      route.fulfill({ status: 422, json: { code: 'conflict', detail: 'Not taken, for a test.' } }),
    );
    await page.reload();
    await page.getByText('Broken for a test.').waitFor();
    isBroken = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await ask(page, 'Is this kept?');
    await page.getByText('Not taken, for a test.').waitFor();
    expect(await question(page).inputValue()).toBe('Is this kept?');
  });

  test('a conversation gets another title, and is deleted', async () => {
    const { page, client, faults } = await talking();
    await chooseMore(page, 'Rename');
    await page.getByLabel('Title').fill('');
    await page.getByRole('button', { name: 'Save title' }).click();
    await page.getByLabel('Title').fill(hostile[0]!);
    await page.getByRole('button', { name: 'Save title' }).click();
    await expectTitle(page, hostile[0]!);
    await chooseMore(page, 'Rename');
    const refused = { status: 409, json: { code: 'conflict', detail: 'Refused for a test.' } };
    await page.route('**/conversations/*', (route) => route.fulfill(refused));
    await page.getByRole('button', { name: 'Save title' }).click();
    await page.getByText('Refused for a test.').waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Cancel' }).click();
    const chat = new URL(page.url()).pathname
      .replace('/console/', '/v1/')
      .replace('/ask/', '/conversations/');
    await page.getByRole('link', { name: 'Ask', exact: true }).first().click();
    await page.getByRole('link', { name: hostile[0]! }).click();
    await chooseMore(page, 'Delete conversation');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete conversation' }).click();
    await page.getByText('This project has no conversations yet.').waitFor();
    expect((await client.call('GET', chat)).status).toBe(404);
    expect([await hasRun(page), faults]).toEqual([false, []]);
  });

  test('its pages are accessible in light and dark colours, and fit a narrow window', async () => {
    const { page } = await opened(
      async (client) => {
        await table(client, 'orders_of_a_very_long_name_that_nobody_would_type_by_hand', cities);
      },
      { path: '/console/in-project/ask', title: 'Project' },
    );
    await inspect(page, 'first-project');
    await page.getByRole('button', { name: 'Create project' }).click();
    await expectTitle(page, 'Ask');
    await page.getByText('Tables the analyst can read here').click();
    await page.getByLabel('Table or view to attach').selectOption({ index: 1 });
    await page.getByRole('button', { name: 'Attach', exact: true }).click();
    await page.getByRole('button', { name: 'Detach' }).waitFor();
    await inspect(page, 'ask');
    await page.getByLabel('Model').selectOption('offline');
    await ask(page, 'total amount by city as a bar chart');
    await page.getByRole('button', { name: 'Save as report' }).waitFor();
    await page.getByRole('img', { name: 'Total of amount by city' }).locator('svg').waitFor();
    await page.getByText(/^run_sql/).click();
    await page.getByRole('region', { name: 'Rows' }).waitFor();
    await inspect(page, 'conversation');
    script = [() => ({ endless: { delta: 'more ', everyMs: 200 } })];
    await question(page).fill('Never stop.');
    await page.getByLabel('Model').selectOption({ index: 0 });
    await question(page).press('Enter');
    await said(page).nth(3).getByText('more').waitFor();
    await ask(page, 'The next one.');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('You stopped a reply').waitFor();
    await inspect(page, 'conversation-held');
    await expectEventually(() => said(page).count()).toBe(4);
  });
});
