/**
 * How fast the console is, in a real browser against a stack that runs: `node bench/console.ts` (after
 * `npm start`, with the same WORKSPACE_DATA_DIR). It makes an organization's worth of data in a project of its own,
 * and prints, as medians of five where it can: the first contentful paint, frames a second while a grid of 100,000
 * rows or one of 250 columns scrolls, how long a conversation of 500 messages takes to open and a key to show in it,
 * how long a graph of a hundred nodes takes to be drawn and one of them to be chosen, and what a small request takes
 * beside ten open consoles. A browser is needed (Debian's package chromium-headless-shell).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from './browser.ts';

const dataDir = process.env['WORKSPACE_DATA_DIR'] ?? '.data';
const state = JSON.parse(readFileSync(join(dataDir, 'local.json'), 'utf8'));
const origin: string = state.apiUrl;
const person = { email: 'bench@example.com', password: 'correct horse battery staple' };

const median = (values: number[]) => values.sort((one, other) => one - other)[Math.floor(values.length / 2)]!;
const print = (what: string, value: string) => console.log(`${what.padEnd(56)} ${value}`);

async function token(): Promise<string> {
  const body = new URLSearchParams({ client_id: state.clientId, client_secret: state.clientSecret });
  const answer = await fetch(`${origin}/v1/auth/m2m/token`, { method: 'POST', body });
  return ((await answer.json()) as { access_token: string }).access_token;
}
const bearer = await token();
const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
// biome-ignore lint/suspicious/noExplicitAny: answers of any shape.
async function call(method: string, path: string, body?: object, token = bearer): Promise<any> {
  const answer = await fetch(`${origin}${path}`, {
    method,
    headers: { ...headers, authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { data: unknown }).data;
}

async function account(browser: Browser): Promise<void> {
  const page = await browser.newPage();
  await page.goto(state.ownerUrl);
  if ((await page.getByLabel('Name').count()) > 0) {
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('Email').fill(person.email);
    await page.getByLabel('Password').fill(person.password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: 'Signed in' }).waitFor();
  }
  await page.close();
}

async function signedIn(browser: Browser): Promise<Page> {
  const page = await (await browser.newContext({ baseURL: origin })).newPage();
  await page.goto('/console/');
  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Password').fill(person.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Data' }).waitFor();
  return page;
}

async function wideTable(): Promise<string> {
  const name = `bench_${Date.now()}`;
  const columns = ['city', 'amount', 'note'].map((column) => ({ name: column, data_type: 'STRING' }));
  const { tableId } = await call('POST', '/v1/grid/tables', { name, kind: 'data', columns });
  for (let at = 0; at < 100_000; at += 5_000) {
    const rows = Array.from({ length: 5_000 }, (_, index) => ({
      ...{
        s_id: at + index + 1,
        city: `City ${at + index}`,
        amount: String(index),
        note: 'as it was written',
      },
    }));
    await call('POST', `/v1/tables/${tableId}/rows`, { rows });
  }
  return tableId;
}

/** Ten million rows. */
const long =
  "SELECT range AS n, 'City ' || (range % 1000) AS city, range * 0.5 AS amount FROM range(10000000)";
/** 250 columns. */
const columns = Array.from({ length: 250 }, (_, at) => `range * ${at + 1} AS c${at}`);
const broad = `SELECT ${columns.join(', ')} FROM range(20000)`;

/** A table that a statement makes. */
async function madeTable(query: string): Promise<string> {
  const { tableId } = await call('POST', '/v1/grid/tables', {
    name: `bench_made_${Date.now()}`,
    ...{ kind: 'calc', query },
  });
  await call('POST', `/v1/grid/tables/${tableId}/materialize`);
  for (;;) {
    const { status, error } = await call('GET', `/v1/grid/tables/${tableId}/status`);
    if (status === 'fresh') return tableId;
    if (status === 'failed') throw new Error(JSON.stringify(error));
    await new Promise((done) => setTimeout(done, 500));
  }
}

/** Frames a second while the grid scrolls so many pixels a frame. */
const framesASecond = (page: Page, side: 'scrollTop' | 'scrollLeft', step: number): Promise<number> =>
  page.evaluate(`new Promise((done) => {
    const grid = document.querySelector('.grid');
    let frames = 0;
    const from = performance.now();
    const next = () => {
      frames += 1;
      grid.${side} += ${step};
      if (performance.now() - from < 5000) requestAnimationFrame(next);
      else done(frames / ((performance.now() - from) / 1000));
    };
    requestAnimationFrame(next);
  })`);

/** Goes to a part of the grid; milliseconds until all rows in sight are there. */
const goTo = (page: Page, part: number): Promise<number> =>
  page.evaluate(`new Promise((done) => {
    const grid = document.querySelector('.grid');
    const from = performance.now();
    grid.scrollTop = grid.scrollHeight * ${part};
    const look = () =>
      performance.now() - from > 50 && grid.querySelector('[aria-busy]') === null
        ? done(performance.now() - from)
        : requestAnimationFrame(look);
    requestAnimationFrame(look);
  })`);

/** A workflow of a hundred nodes, of whoever is signed in. */
async function wideGraph(page: Page, projectId: string): Promise<string> {
  const nodes = Array.from({ length: 100 }, (_, at) => ({
    ...{ id: `n${at}`, name: `Node ${at}`, type: 'query', config: { sql: 'SELECT 1' } },
  }));
  const edges = nodes.slice(10).map((_, at) => ({ from: `n${at}.done`, to: `n${at + 10}.start` }));
  const graph = { version: 1, parameters: {}, nodes, edges };
  const own = String(await page.evaluate("JSON.parse(sessionStorage.getItem('login')).accessToken"));
  const body = { project_id: projectId, title: 'Wide', graph };
  return (await call('POST', '/v1/workflows', body, own)).id;
}

/** Milliseconds from the address to all edges of a graph. */
const untilDrawn = (page: Page): Promise<number> =>
  page.evaluate(`new Promise((done) => {
    const look = () =>
      document.querySelectorAll('.react-flow__edge').length >= 90
        ? done(performance.now())
        : requestAnimationFrame(look);
    look();
  })`);

/** Nodes of a graph are chosen, one after the other; milliseconds until each is shown. */
const choices = (page: Page): Promise<number[]> =>
  page.evaluate(`(async () => {
    const took = [];
    for (const node of [5, 50, 98, 3, 77, 20, 41]) {
      const from = performance.now();
      document.querySelector('[aria-label="Edit Node ' + node + '"]').click();
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      took.push(performance.now() - from);
      await new Promise((done) => setTimeout(done, 300));
    }
    return took;
  })()`);

async function untilIdle(conversation: string): Promise<void> {
  for (;;) {
    const { activeTurn, queuedTurns } = await call('GET', conversation);
    if (activeTurn === null && queuedTurns.length === 0) return;
    await new Promise((done) => setTimeout(done, 200));
  }
}

async function longConversation(projectId: string): Promise<string> {
  const chat = await call('POST', `/v1/projects/${projectId}/conversations`, { title: 'A long talk' });
  const at = `/v1/projects/${projectId}/conversations/${chat.id}`;
  for (let n = 0; n < 250; n += 1) {
    await call('POST', `${at}/messages`, {
      ...{ message: `how many tables are there? (${n})`, model: 'offline', on_busy: 'enqueue' },
    });
    if (n % 40 === 39 || n === 249) await untilIdle(at);
  }
  return chat.id;
}

/** Milliseconds of small requests, one after the other. */
async function requests(count: number): Promise<number[]> {
  const took: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const from = performance.now();
    await fetch(`${origin}/v1/me`, { headers }).then((answer) => answer.text());
    took.push(performance.now() - from);
  }
  return took.sort((one, other) => one - other);
}

const browser = await launchBrowser();
try {
  await account(browser);
  const page = await signedIn(browser);

  const paints: number[] = [];
  for (let n = 0; n < 5; n += 1) {
    await page.reload();
    await page.getByRole('heading', { name: 'Data' }).waitFor();
    const paint = await page.evaluate(`new Promise((done) => {
      const look = (list) => {
        const paint = list.getEntriesByName('first-contentful-paint')[0];
        if (paint !== undefined) done(paint.startTime);
      };
      new PerformanceObserver(look).observe({ type: 'paint', buffered: true });
    })`);
    paints.push(Number(paint));
  }
  print('First contentful paint, files kept by the browser', `${Math.round(median(paints))} ms`);

  await page.goto(`/console/tables/${await wideTable()}`);
  await page.getByRole('cell', { name: 'City 1', exact: true }).waitFor();
  const frames = await framesASecond(page, 'scrollTop', 90);
  print('Frames a second while a grid scrolls 90 px a frame', frames.toFixed(1));
  const wideId = await madeTable(broad);
  for (const side of ['scrollTop', 'scrollLeft'] as const) {
    await page.goto(`/console/tables/${wideId}`);
    await page.getByRole('cell', { name: '1', exact: true }).first().waitFor();
    print(`The same of 250 columns, by ${side}`, (await framesASecond(page, side, 90)).toFixed(1));
  }

  await page.goto(`/console/tables/${await madeTable(long)}`);
  await page.getByRole('cell', { name: 'City 1', exact: true }).waitFor();
  print('A first row in the middle of ten million after', `${Math.round(await goTo(page, 0.5))} ms`);
  const jumps: number[] = [];
  for (const part of [0.9, 0.1, 0.7, 0.3, 0.6]) jumps.push(await goTo(page, part));
  print('Others elsewhere', `${Math.round(median(jumps))} ms`);

  const project = await call('POST', '/v1/projects', { name: `Bench ${Date.now()}` });
  const chatId = await longConversation(project.id);
  const opened: number[] = [];
  for (let n = 0; n < 5; n += 1) {
    const from = performance.now();
    await page.goto(`/console/projects/${project.id}/ask/${chatId}`);
    await page.getByText('(249)').waitFor();
    opened.push(performance.now() - from);
  }
  print('A conversation of 500 messages is open after', `${Math.round(median(opened))} ms`);
  while ((await page.getByRole('button', { name: 'Older messages' }).count()) > 0) {
    await page.getByRole('button', { name: 'Older messages' }).click();
    await page.waitForTimeout(500);
  }
  print('Messages that are drawn', String(await page.locator('.messages > li').count()));
  const keys: number[] = [];
  const field = page.getByLabel('Your question').last();
  for (let n = 0; n < 20; n += 1) {
    const from = performance.now();
    await field.press('a');
    keys.push(performance.now() - from);
  }
  print('A key is shown among them after', `${Math.round(median(keys))} ms`);

  const graphId = await wideGraph(page, project.id);
  const drawn: number[] = [];
  for (let n = 0; n < 5; n += 1) {
    await page.goto(`/console/workflows/${graphId}`);
    drawn.push(await untilDrawn(page));
  }
  print('A graph of a hundred nodes is drawn after', `${Math.round(median(drawn))} ms`);
  print('A node of it is chosen after', `${Math.round(median(await choices(page)))} ms`);

  const alone = await requests(500);
  const others = [];
  for (let n = 0; n < 10; n += 1) {
    const other = await signedIn(browser);
    await other.goto(`/console/projects/${project.id}/${n % 2 === 0 ? 'runs' : `ask/${chatId}`}`);
    others.push(other);
  }
  await new Promise((done) => setTimeout(done, 10_000));
  const beside = await requests(500);
  const at = (values: number[], share: number) => values[Math.floor(values.length * share)]!.toFixed(1);
  print('GET /v1/me alone, p50 and p99', `${at(alone, 0.5)} and ${at(alone, 0.99)} ms`);
  print('Beside ten open consoles, p50 and p99', `${at(beside, 0.5)} and ${at(beside, 0.99)} ms`);
} finally {
  await browser.close();
}
