import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect } from 'vitest';
import { buildConsole } from '../../local/console.ts';
import { expectTitle, useBrowserLab } from '../api/pages/in-browser/lab.ts';
import { eventually } from '../support/eventually.ts';
import { type TestClient, useWorkspace, type Workspace } from '../support/workspace.ts';

/** What somebody might put into a name or a value. */
export const hostile = ['<img src=x onerror="ran=1">', '"><script>ran=1</script>', '{{7*7}} \u202e'];
/** Whether any of it was run as a script. */
export const hasRun = (page: Page): Promise<boolean> => page.evaluate<boolean>('"ran" in globalThis');
export const script = { javaScriptEnabled: true };

/** The statement in the editor. */
export const sqlOf = async (page: Page): Promise<string> =>
  (await page.getByLabel('SQL').textContent()) ?? '';

/** Writes a statement in place of the one that is there. */
export async function writeSql(page: Page, sql: string): Promise<void> {
  await page.getByLabel('SQL').press('Control+a');
  await page.keyboard.insertText(sql);
}

/**
 * Opens a part of the page: a tab, a part that unfolds, or a panel that a button opens. What loads above may move it
 * from under the pointer: it is clicked until it is open.
 */
export async function openPart(page: Page, title: string | RegExp): Promise<void> {
  const exact = typeof title === 'string';
  const tab = page.getByRole('tab', { name: title, exact });
  const heading = page.locator('summary').getByRole('heading', { name: title, exact });
  const button = page.getByRole('button', { name: title, exact });
  const panel = page.getByRole('dialog', { name: title, exact });
  await tab.or(heading).or(button).first().waitFor();
  await eventually(async () => {
    if ((await tab.count()) > 0) {
      await tab.click();
      return (await tab.getAttribute('aria-selected')) === 'true';
    }
    if ((await heading.count()) === 0) {
      if ((await panel.count()) === 0) await button.click();
      return (await panel.count()) > 0;
    }
    const part = page.locator('details').filter({ has: heading });
    if ((await part.getAttribute('open')) === null) await heading.click();
    return (await part.getAttribute('open')) !== null;
  }, Boolean);
}

/** Chooses what is seldom done, from the menu behind three dots. */
export async function chooseMore(within: Page | Locator, name: string, page = within as Page): Promise<void> {
  await within.getByRole('button', { name: /^(More actions|Actions for)/ }).click();
  await page.getByRole('menuitem', { name, exact: true }).click();
}

/** Leaves the console by the menu of the person. */
export async function leave(page: Page): Promise<void> {
  await page.getByRole('button', { name: /: account of/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
}

/** Addresses of people belong to one organization in a service, which files share. */
let people = 0;

/** The console of a service, and people who use it in a browser. */
export function useConsole(workspace: Workspace = useWorkspace()) {
  beforeAll(() => buildConsole());
  const lab = useBrowserLab(workspace);

  /** What the page told of itself: faults of its script, and requests to anywhere else. */
  function watch(page: Page) {
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
      // Browsers tell each answer that is not a success. Where a text is replaced in the editor, Chromium would give
      // the new one the style of the old one; the policy refuses that, and nothing is missing.
      const isExpected = /^(Failed to load resource|Applying inline style)/.test(message.text());
      if (message.type() === 'error' && !isExpected) faults.push(message.text());
    });
    const elsewhere: string[] = [];
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (origin !== lab.origin() && protocol !== 'blob:' && protocol !== 'data:')
        elsewhere.push(request.url());
    });
    return { faults, elsewhere };
  }

  /** Somebody who is signed in at the service, and opens a page of the console. */
  async function opened(
    prepare: (client: TestClient) => Promise<unknown> = async () => undefined,
    { path = '/console/data', title = 'Data' }: { path?: string; title?: string } = {},
  ) {
    const page = await lab.newPage(script);
    people += 1;
    const email = `console-${people}@example.com`;
    const client = await lab.owner(page, email);
    await prepare(client);
    const watched = watch(page);
    await page.goto(path);
    await expectTitle(page, title);
    return { page, client, email, ...watched };
  }

  /** A data table with these rows. */
  async function table(client: TestClient, name: string, rows: object[]): Promise<string> {
    const columns = [
      { name: 'city', data_type: 'STRING' },
      { name: 'amount', data_type: 'DOUBLE' },
    ];
    const made = await client.call('POST', '/v1/grid/tables', { body: { name, kind: 'data', columns } });
    expect(made.status, made.text).toBe(201);
    const tableId = made.body.data.tableId as string;
    for (let at = 0; at < rows.length; at += 1_000) {
      const page = rows.slice(at, at + 1_000).map((row, index) => ({ s_id: at + index + 1, ...row }));
      const sent = await client.call('POST', `/v1/tables/${tableId}/rows`, { body: { rows: page } });
      expect(sent.status, sent.text).toBe(200);
    }
    return tableId;
  }

  async function project(client: TestClient, name = 'Sales'): Promise<string> {
    const made = await client.call('POST', '/v1/projects', { body: { name } });
    expect(made.status, made.text).toBe(201);
    return made.body.data.id;
  }

  return { lab, opened, table, project };
}
