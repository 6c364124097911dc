import { statSync } from 'node:fs';
import { get as httpGet } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify from 'fastify';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { consoleRoutes } from '../../api/console/routes.ts';
import type { Routes } from '../../api/deps.ts';
import { buildConsole } from '../../local/console.ts';
import { inspect } from '../api/pages/in-browser/inspect.ts';
import { expectTitle, useBrowserLab } from '../api/pages/in-browser/lab.ts';
import { describeInChromium } from '../support/chromium.ts';
import { expectEventually } from '../support/eventually.ts';
import { hasRun, hostile, leave, openPart, script, sqlOf, useConsole, writeSql } from './opened.ts';

describeInChromium('the console', () => {
  const { lab, opened, project, table } = useConsole();

  const ask = async (page: Page, sql: string) => {
    await writeSql(page, sql);
    await page.getByLabel('SQL').press('Control+Enter');
  };

  test('from signing in to a table, its rows and a question, each at an address of its own', async () => {
    const cities = Array.from({ length: 2_500 }, (_, at) => ({ city: `City ${at + 1}`, amount: at / 4 }));
    const { page, client, faults, elsewhere } = await opened(async (client) => {
      await table(client, 'orders', cities);
      await table(client, 'targets', []);
    });
    await page.getByRole('row').filter({ hasText: 'orders' }).getByText('2,500').waitFor();
    await page.getByRole('searchbox').fill('nothing');
    await page.getByText('No table or view has “nothing” in its name.').waitFor();
    await page.getByRole('searchbox').fill('ord');
    await page.getByRole('link', { name: 'targets' }).waitFor({ state: 'detached' });
    // It leads there once one pauses.
    await expectEventually(() => new URL(page.url()).search).toBe('?search=ord');
    await page.getByRole('link', { name: 'orders' }).click();
    await expectTitle(page, 'orders');
    await page.getByText('2,500 rows').waitFor();
    const grid = page.getByRole('region', { name: 'Rows' });
    await grid.getByRole('cell', { name: 'City 1', exact: true }).waitFor();
    // What is out of sight is not drawn, and comes as one scrolls: over pages of a thousand.
    expect(await grid.getByRole('row').count()).toBeLessThan(100);
    await expectEventually(async () => {
      await grid.evaluate((frame) => frame.scrollTo({ top: frame.scrollHeight }));
      expect(await grid.getByRole('cell', { name: 'City 2500', exact: true }).count()).toBe(1);
    });
    await page.reload();
    await expectTitle(page, 'orders');

    await page.getByRole('link', { name: 'Query table' }).click();
    await expectTitle(page, 'Query');
    await ask(page, 'SELECT count(*) AS n, count(*) AS n FROM orders');
    await page.getByText(/^1 row · [\d,]+ ms/).waitFor();
    expect(await page.getByRole('cell').allTextContents()).toEqual(['2500', '2500']);
    await ask(page, 'SELECT * FROM orders WHERE city = 1 LIMIT nonsense');
    await page.getByRole('alert').waitFor();
    await ask(page, 'SELECT city FROM orders WHERE amount < 0');
    await page.getByText('The query returned no rows.').waitFor();
    expect(new URL(page.url()).searchParams.get('sql')).toBe('SELECT city FROM orders WHERE amount < 0');
    await page.reload();
    expect(await sqlOf(page)).toBe('SELECT city FROM orders WHERE amount < 0');
    await page.goto('/console/no/such/page');
    await expectTitle(page, 'Page not found');
    expect(elsewhere).toEqual([]);
    expect(faults).toEqual([]);
    expect((await client.call('GET', '/v1/me')).status).toBe(200);
  });

  test('what people wrote is text, wherever it stands', async () => {
    const { page, faults } = await opened((client) =>
      table(
        client,
        'notes',
        hostile.map((city) => ({ city })),
      ),
    );
    await page.getByRole('link', { name: 'notes' }).click();
    for (const text of hostile) await page.getByRole('cell', { name: text.trim() }).first().waitFor();
    await page.goto(
      `/console/query?sql=${encodeURIComponent(`SELECT '${hostile[0]}' AS "${hostile[1]!.replaceAll('"', '""')}"`)}`,
    );
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('cell', { name: hostile[0]! }).waitFor();
    await page.getByRole('columnheader', { name: hostile[1]! }).waitFor();
    await page.goto(`/console/data?search=${encodeURIComponent(hostile[0]!)}`);
    await page.getByText(hostile[0]!).waitFor();
    expect([await hasRun(page), faults]).toEqual([false, []]);
  });

  test('an API that fails is told, and asked again', async () => {
    const { page } = await opened((client) => table(client, 'orders', [{ city: 'Porto', amount: 1 }]));
    let isBroken = true;
    await page.route('**/v1/tables', (route) =>
      isBroken
        ? route.fulfill({ status: 422, json: { code: 'conflict', detail: 'Broken for a test.' } })
        : route.continue(),
    );
    await page.reload();
    await page.getByText('Broken for a test.').waitFor();
    isBroken = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: 'orders' }).waitFor();
  });

  test('whatever has a name is gone to by it, by the keyboard or the button', async () => {
    const { page } = await opened(async (client) => {
      const projectId = await project(client);
      const body = { title: 'Nightly', content: 'Nothing new.' };
      const made = await client.call('POST', `/v1/projects/${projectId}/reports`, { body });
      expect(made.status, made.text).toBe(201);
      await table(client, 'orders', []);
    });
    const find = page.getByRole('combobox', { name: /^Search pages/ });
    await page.keyboard.press('Control+k');
    await find.fill('workfl');
    await page.getByRole('option', { name: 'Workflows page' }).waitFor();
    await find.press('Enter');
    await expectTitle(page, 'Workflows');
    await page.getByRole('button', { name: 'Search' }).click();
    await find.fill('nightly');
    await page.getByRole('option', { name: 'Nightly report' }).click();
    await expectTitle(page, 'Nightly');
    await page.keyboard.press('Control+k');
    await find.fill('orders');
    await page.getByRole('option', { name: /^orders/ }).waitFor();
    await find.press('Enter');
    await expectTitle(page, 'orders');
  });

  test('without a network it says so, and goes on when there is one', async () => {
    const { page } = await opened();
    await page.goto('/console/query');
    await writeSql(page, 'SELECT 1 AS one');
    await page.context().setOffline(true);
    await page.getByText("You're offline.").waitFor();
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('alert').waitFor({ timeout: 60_000 });
    await page.context().setOffline(false);
    await page.getByText("You're offline.").waitFor({ state: 'detached' });
  });

  test('a login that was ended begins anew where it was missed; signing out ends it at the service', async () => {
    const { page, email } = await opened((client) => table(client, 'orders', []));
    const read = () =>
      page.evaluate(() => JSON.parse(sessionStorage.getItem('login') ?? '{}') as { accessToken: string });
    const { accessToken: first } = await read();
    const body = new URLSearchParams({ token: first, client_id: 'console' });
    const revoked = await fetch(`${lab.origin()}/v1/auth/revoke`, { method: 'POST', body });
    expect(revoked.status).toBeLessThan(300);
    await expectEventually(async () => expect((await lab.me(first)).status).toBe(401));
    await page.getByRole('link', { name: 'orders' }).click();
    await expectTitle(page, 'orders');
    const { accessToken: second } = await read();
    expect(second).not.toBe(first);
    await page.goto('/console/query');
    await writeSql(page, 'SELECT 41 + 1 AS n');
    await fetch(`${lab.origin()}/v1/auth/logout`, {
      method: 'POST',
      headers: { authorization: `Bearer ${second}` },
    });
    await expectEventually(async () => expect((await lab.me(second)).status).toBe(401));
    await page.getByRole('button', { name: 'Run' }).click();
    // The browser was signed out with it; then one is back where one was.
    await lab.signIn(page, email);
    // In between the page is another one.
    const known = { accessToken: second };
    await expectEventually(async () => (await read().catch(() => known)).accessToken ?? second).not.toBe(
      second,
    );
    expect(await sqlOf(page)).toBe('SELECT 41 + 1 AS n');
    const { accessToken: third } = await read();
    await leave(page);
    await expectTitle(page, "You're signed out");
    expect(await page.evaluate(() => [Object.keys(sessionStorage), localStorage.length])).toEqual([
      ['tab'],
      0,
    ]);
    await expectEventually(async () => expect((await lab.me(third)).status).toBe(401));
    await page.goBack();
    await expectTitle(page, 'Sign in');
    await page.goto('/console/signed-out');
    await page.getByRole('button', { name: 'Sign in again' }).click();
    await lab.signIn(page, email);
    await expectTitle(page, 'Home');
  });

  test('who signs out in one tab is signed out in every other', async () => {
    const { page } = await opened();
    const other = await page.context().newPage();
    await other.goto('/console/');
    await expectTitle(other, 'Home');
    await leave(page);
    await expectTitle(page, "You're signed out");
    await other.getByRole('link', { name: 'Connections' }).click();
    await expectTitle(other, 'Sign in');
    await page.goto('/sign-in');
    await page.getByLabel('Password').waitFor();
  });

  test('who belongs to several organizations switches between them', async () => {
    const { page } = await opened();
    const { ownerToken } = await lab.workspace.organization('Mill');
    await page.goto(`/owner/${ownerToken}`);
    await page.getByRole('button', { name: 'Join Mill' }).click();
    await expectTitle(page, 'Signed in');
    await page.goto('/console/');
    await page.getByRole('button', { name: 'Mill' }).waitFor();
    await page.goto('/console/settings');
    await page.getByRole('button', { name: 'Switch organization' }).click();
    await expectTitle(page, 'Choose an organization');
    await page.getByRole('button', { name: 'Bakery & Sons' }).click();
    await expectTitle(page, 'Home');
    await page.getByRole('button', { name: 'Bakery & Sons' }).waitFor();
  });

  test('a tab that is a copy of another one gets a login of its own', async () => {
    const { page } = await opened();
    const read = (tab: Page) => tab.evaluate(() => sessionStorage.getItem('login'));
    const first = await read(page);
    const [copy] = await Promise.all([page.waitForEvent('popup'), page.evaluate("void open('/console/')")]);
    await expectTitle(copy, 'Home');
    const second = await read(copy);
    expect([second === null, second === first, await read(page)]).toEqual([false, false, first]);
    await page.reload();
    await expectTitle(page, 'Data');
    expect(await read(page)).toBe(first);
  });

  test('an answer to a sign-in that nobody here began is not taken', async () => {
    const page = await lab.newPage(script);
    await lab.owner(page, 'nobody@example.com');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto('/console/callback?code=wac_foreign&state=foreign');
    await expectTitle(page, 'Home');
    // The one exchange is that of the sign-in that was begun then.
    expect(asked.filter((path) => path === '/v1/auth/token')).toHaveLength(1);
  });

  test('nothing is refused by the content security policy, whatever is opened', async () => {
    const { page, faults } = await opened(async (client) => {
      await project(client);
      await table(client, 'orders', [{ city: 'Porto', amount: 1 }]);
    });
    await page.addInitScript(
      `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
        (globalThis.refused ??= []).push([violatedDirective, blockedURI].join(' ')))`,
    );
    const refused = () => page.evaluate<string[]>('globalThis.refused ?? []');
    await page.goto('/console/');
    await page.getByRole('link', { name: 'orders' }).click();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete table' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('cell', { name: 'Porto' }).dblclick();
    await page.keyboard.press('Escape');
    await openPart(page, 'Settings');
    await page.getByRole('button', { name: 'Appearance' }).click();
    await page.getByRole('menuitem', { name: 'Dark' }).click();
    await expectEventually(() =>
      page.evaluate("document.documentElement.dataset['mantineColorScheme']"),
    ).toBe('dark');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /^Search pages/ }).press('Escape');
    await page.getByRole('link', { name: 'Connections' }).click();
    await openPart(page, 'Connect a data source');
    expect([await refused(), faults]).toEqual([[], []]);
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 390, height: 800 });
    await page.getByRole('button', { name: 'Open the menu' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Settings' }).click();
    await expectTitle(page, 'Settings');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect([await refused(), faults]).toEqual([[], []]);
  });

  test('every page is accessible in light and dark colours, and fits a narrow window', async () => {
    const page = await lab.newPage(script);
    const client = await lab.owner(page, 'looks@example.com');
    await page.goto('/');
    await page.getByText('There are no tables yet.').waitFor();
    await inspect(page, 'empty');
    const id = await table(client, 'orders_of_a_very_long_name_that_nobody_would_type_by_hand', [
      { city: 'Porto', amount: 12.5 },
      { city: 'Vila Nova de Gaia, on the other side of the river, where the cellars are', amount: 7 },
    ]);
    await page.reload();
    await page.getByRole('link', { name: /^orders_of/ }).waitFor();
    await inspect(page, 'home');
    await page.goto('/console/data');
    await page.getByRole('link', { name: /^orders_of/ }).waitFor();
    await inspect(page, 'tables');
    await page.goto(`/console/tables/${id}`);
    await page.getByRole('cell', { name: 'Porto' }).waitFor();
    await inspect(page, 'table');
    await page.goto('/console/query');
    await ask(page, 'SELECT 1 AS one');
    await page.getByRole('cell', { name: '1' }).waitFor();
    await inspect(page, 'query');
    await ask(page, 'SELEC');
    await page.getByRole('alert').waitFor();
    await inspect(page, 'query-fault');
    await leave(page);
    await expectTitle(page, "You're signed out");
    await inspect(page, 'signed-out');
  });
});

describeInChromium('the files of the console', () => {
  beforeAll(() => buildConsole());
  const lab = useBrowserLab();

  test('are compressed, kept by their names, and the page itself asked for anew', async () => {
    const get = (path: string, accept = 'br') =>
      fetch(`${lab.origin()}${path}`, { headers: { 'accept-encoding': accept }, redirect: 'manual' });
    /** Of the address as it is, which `fetch` would put in order. */
    const status = (path: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const { hostname, port } = new URL(lab.origin());
        httpGet({ hostname, port, path }, ({ statusCode }) => resolve(statusCode)).once('error', reject);
      });
    expect((await get('/')).headers.get('location')).toBe('/console/');
    const page = await get('/console/tables/tbl_x');
    expect(page.headers.get('cache-control')).toBe('no-cache');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const [asset] = /\/console\/assets\/[\w.-]+\.js/.exec(await page.text())!;
    for (const [accept, encoding] of [
      ['br', 'br'],
      ['gzip', 'gzip'],
      ['identity', null],
    ] as const) {
      const file = await get(asset!, accept);
      expect([file.status, file.headers.get('content-encoding')]).toEqual([200, encoding]);
      expect(file.headers.get('cache-control')).toContain('immutable');
    }
    for (const path of [
      '/console/assets/none.js',
      '/console/assets/%2e%2e/.sources',
      '/console/assets/..%2f..%2f..%2fpackage.json',
    ])
      expect([400, 404], path).toContain(await status(path));
  });

  test('begin with a script of at most 200 kB', async () => {
    const files = (html: string) =>
      [...html.matchAll(/"(\/console\/assets\/[\w.-]+\.js)"/g)].map(([, at]) => at!);
    const html = await (await fetch(`${lab.origin()}/console/`)).text();
    const sizes = files(html).map(
      (path) => statSync(join(import.meta.dirname, '../../console/dist', `${path.slice(9)}.br`)).size,
    );
    expect(sizes.length).toBeGreaterThan(1);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(200_000);
  });

  test('may be missing: the service starts, and its page says what to do', async () => {
    const app = Fastify();
    consoleRoutes(app as unknown as Routes, {
      storage: { endpoint: undefined, bucket: 'b', region: 'eu-west-1' },
      folder: join(tmpdir(), 'no such folder'),
    });
    const page = await app.inject('/console/query');
    expect([page.statusCode, page.body]).toEqual([503, expect.stringContaining('npm run build:console')]);
    expect((await app.inject('/console/assets/index.js')).statusCode).toBe(404);
    await app.close();
  });
});
