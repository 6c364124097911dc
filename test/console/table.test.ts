import { expect, test } from 'vitest';
import { inspect } from '../api/pages/in-browser/inspect.ts';
import { expectTitle } from '../api/pages/in-browser/lab.ts';
import { describeInChromium } from '../support/chromium.ts';
import { eventually, expectEventually } from '../support/eventually.ts';
import { type Person, personOf } from '../support/people.ts';
import { useWorker } from '../support/worker.ts';
import { type TestClient, useWorkspace } from '../support/workspace.ts';
import { chooseMore, hostile, openPart, useConsole } from './opened.ts';

const workspace = useWorkspace();
useWorker(workspace);

interface Box {
  textContent: string | null;
  getBoundingClientRect(): { top: number; bottom: number };
}

describeInChromium('a table', () => {
  const { opened, table } = useConsole(workspace);
  const cities = [
    { city: 'Porto', amount: 30 },
    { city: 'Lagos', amount: 12.5 },
  ];

  /** A table of two versions, a view of it, and a test that it fails. */
  async function shaped(client: TestClient) {
    const id = await table(client, 'orders', cities);
    const more = { rows: [{ s_id: 10, city: hostile[0], amount: -4 }] };
    expect((await client.call('POST', `/v1/tables/${id}/rows`, { body: more })).status).toBe(200);
    const view = { name: 'by_city', query: 'SELECT city, sum(amount) AS total FROM orders GROUP BY city' };
    expect((await client.call('POST', '/v1/views', { body: view })).status).toBe(201);
    const definition = {
      ...{ name: 'no debts', kind: 'expression', params: { expression: 'amount >= 0' } },
      target: { table_id: id },
    };
    const made = await client.call('POST', '/v1/verification-tests/definitions', { body: definition });
    expect(made.status, made.text).toBe(201);
    return id;
  }

  test('rows are filtered, sorted and grouped by clicking, and the address keeps it', async () => {
    let id = '';
    const { page, faults } = await opened(async (client) => {
      id = await shaped(client);
    });
    await page.goto(`/console/tables/${id}`);
    const rows = page.getByRole('region', { name: 'Rows' });
    const cells = (column: number) => rows.locator(`tbody tr td:nth-child(${column})`).allTextContents();
    await rows.getByRole('cell', { name: 'Porto' }).waitFor();
    await page.getByRole('button', { name: 'amount', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Descending' }).click();
    await expectEventually(() => cells(3)).toEqual(['30', '12.5', '-4']);
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByLabel('Column', { exact: true }).selectOption('amount');
    await page.getByLabel('Condition').selectOption('above');
    await page.getByLabel('Value').fill('0');
    await page.getByRole('button', { name: 'Add' }).click();
    await expectEventually(() => cells(3)).toEqual(['30', '12.5']);
    await page.reload();
    await expectEventually(() => cells(3)).toEqual(['30', '12.5']);
    await page.getByRole('button', { name: 'Remove: amount is at least 0' }).click();
    await expectEventually(() => cells(3)).toEqual(['30', '12.5', '-4']);
    await page.getByRole('button', { name: 'city', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Group by this column' }).click();
    await page.getByRole('button', { name: 'Summarize' }).click();
    await page.getByLabel('Function').selectOption('sum');
    await page.getByLabel('Column', { exact: true }).selectOption('amount');
    await page.getByRole('button', { name: 'Add' }).click();
    await expectEventually(() => cells(2)).toEqual(['30', '12.5', '-4']);
    const link = await page.getByRole('link', { name: 'As SQL' }).getAttribute('href');
    expect(new URLSearchParams(link!.split('?')[1]).get('sql')).toContain('GROUP BY ALL');
    // What cannot be computed is told, and what was chosen stays to be changed.
    await page.getByRole('button', { name: 'Summarize' }).click();
    await page.getByLabel('Function').selectOption('avg');
    await page.getByLabel('Column', { exact: true }).selectOption('city');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor();
    await page.getByRole('button', { name: 'Remove: avg of city' }).click();
    await expectEventually(() => cells(2)).toEqual(['30', '12.5', '-4']);
    await page.getByRole('button', { name: 'Reset' }).click();
    await rows.getByRole('columnheader', { name: 's_id' }).waitFor();
    expect(faults).toEqual([]);
  });

  test('it is described, profiled, tested, and read as it was', async () => {
    let id = '';
    const { page, faults } = await opened(async (client) => {
      id = await shaped(client);
    });
    await page.goto(`/console/tables/${id}`);
    await page.getByRole('region', { name: 'Rows' }).getByRole('cell', { name: hostile[0]! }).waitFor();
    // What is exported from there is every row: the statement has no limit.
    const query = await page.getByRole('link', { name: 'Query table' }).getAttribute('href');
    expect(new URLSearchParams(query!.split('?')[1]).get('sql')).toMatch(/^SELECT \* FROM \S*orders"?$/);
    await openPart(page, 'Settings');
    await page.getByLabel('Description').fill('Orders of the year.');
    await page.getByLabel('Tier').selectOption('curated');
    await page.getByLabel('Note on amount').fill('In euros.');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('paragraph').filter({ hasText: 'Orders of the year.' }).waitFor();
    await openPart(page, 'Columns');
    await page.getByRole('cell', { name: 'In euros.' }).waitFor();
    await page.getByText(/· curated ·/).waitFor();
    await openPart(page, 'Profile');
    await page.getByText("This table hasn't been profiled yet.").waitFor();
    await page.getByRole('button', { name: 'Profile table' }).click();
    await page.getByRole('img', { name: 'Distribution of the values of amount' }).waitFor();
    await openPart(page, 'Tests');
    await page.getByRole('button', { name: 'Run tests' }).click();
    await page.getByText(/· tests fail ·/).waitFor();
    await page.getByRole('row').filter({ hasText: 'no debts' }).getByText('failed').waitFor();
    await openPart(page, 'Versions');
    await page
      .getByRole('link', { name: /^Read version/ })
      .nth(1)
      .click();
    await page.getByText(/^These are the rows of version/).waitFor();
    await page
      .getByRole('region', { name: 'Rows' })
      .getByRole('cell', { name: hostile[0]! })
      .waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'Rows' }).getByRole('cell', { name: 'Porto' }).waitFor();
    await page.getByText(/^2 rows · curated/).waitFor();
    await page.getByRole('link', { name: 'Show the newest' }).click();
    await page.getByRole('region', { name: 'Rows' }).getByRole('cell', { name: hostile[0]! }).waitFor();
    await page.getByText(/^3 rows · curated/).waitFor();
    await page.goto(`/console/tables/${id}?version=abc`);
    await page.getByRole('region', { name: 'Rows' }).getByRole('cell', { name: hostile[0]! }).waitFor();
    expect(await page.getByText(/^These are the rows of version/).count()).toBe(0);
    await openPart(page, 'Lineage');
    await page.getByRole('img', { name: /^Lineage of orders/ }).waitFor();
    await page.getByRole('link', { name: 'by_city' }).click();
    await expectTitle(page, 'by_city');
    await page
      .getByRole('cell', { name: '42.5' })
      .or(page.getByRole('cell', { name: '30' }))
      .first()
      .waitFor();
    await openPart(page, 'Statement');
    await page.getByText('SELECT city, sum(amount)').waitFor();
    await chooseMore(page, 'Delete view');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete view' }).click();
    await expectTitle(page, 'Data');
    await page.getByRole('link', { name: 'by_city' }).waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });

  test('any of more rows than a browser could draw is reached, near and far', async () => {
    const count = 400_000;
    let id = '';
    const { page, faults } = await opened(async (client) => {
      const made = await client.call('POST', '/v1/projects', { body: { name: 'Long' } });
      const projectId = made.body.data.id as string;
      const content = `n\n${Array.from({ length: count }, (_, n) => n).join('\n')}\n`;
      const path = `/v1/projects/${projectId}/files/content?path=long.csv`;
      const file = await client.call('PUT', path, { body: { content } });
      const started = await client.call('POST', '/v1/table-imports', {
        body: { project_id: projectId, file_id: file.body.data.id, table_name: 'long' },
      });
      const ended = await eventually(
        async () => (await client.call('GET', String(started.headers['location']))).body.data,
        ({ finishedAt }) => finishedAt !== null,
      );
      expect(ended).toMatchObject({ status: 'succeeded', rowsImported: count });
      id = ended.tableId;
    });
    await page.goto(`/console/tables/${id}`);
    const grid = page.getByRole('region', { name: 'Rows' });
    const cell = (n: number) => grid.getByRole('cell', { name: String(n), exact: true });
    /** The rows that somebody sees under the head, once nothing moves any more. */
    const inSight = async () => {
      let last: number[] = [];
      return eventually(
        async () => {
          const before = last;
          last = await grid.evaluate((frame) => {
            const within = frame as unknown as Box & { querySelectorAll(what: string): Iterable<Box> };
            const { top, bottom } = within.getBoundingClientRect();
            return [...within.querySelectorAll('td')]
              .filter((one) => {
                const box = one.getBoundingClientRect();
                return box.top > top + 20 && box.bottom < bottom + 1;
              })
              .map(({ textContent }) => Number(textContent));
          });
          await page.waitForTimeout(300);
          return before.join() === last.join() ? last : [];
        },
        (rows) => rows.length > 5 && !rows.some(Number.isNaN),
      );
    };
    await cell(0).waitFor();
    await grid.focus();
    await page.keyboard.press('End');
    await cell(count - 1).waitFor();
    expect((await inSight()).at(-1)).toBe(count - 1);
    /** By pixels, or to a part of the whole. */
    const scroll = (to: { by?: number; part?: number }) =>
      grid.evaluate((frame, { by, part }) => {
        const scrolled = frame as unknown as { scrollTop: number; scrollHeight: number };
        scrolled.scrollTop = by === undefined ? scrolled.scrollHeight * part! : scrolled.scrollTop + by;
      }, to);
    // A small movement passes no row.
    const atEnd = await inSight();
    await scroll({ by: -900 });
    const above = await inSight();
    expect(above[0]).toBe(atEnd[0]! - 30);
    expect(above).toEqual(above.map((_, at) => above[0]! + at));
    await scroll({ part: 0.5 });
    const half = await eventually(
      async () => Number(await grid.getByRole('cell').filter({ hasText: /^\d+$/ }).first().textContent()),
      (n) => n > count * 0.45 && n < count * 0.55,
    );
    const shown = async () => (await grid.getByRole('cell').allTextContents()).map(Number);
    const rows = await eventually(shown, (all) => all.length > 20 && !all.some(Number.isNaN));
    expect(rows).toEqual(rows.map((_, at) => rows[0]! + at));
    expect(Math.abs(rows[0]! - half)).toBeLessThan(100);
    const middle = await inSight();
    await scroll({ by: 300 });
    expect((await inSight())[0]).toBe(middle[0]! + 10);
    for (let n = 0; n < 30; n += 1) await page.keyboard.press('PageDown');
    await eventually(shown, (all) => all[0]! > rows[0]! + 100 && all[0]! < rows[0]! + 2_000);
    await scroll({ by: 60 });
    await inSight();
    await page.keyboard.press('Home');
    expect((await inSight())[0]).toBe(0);
    expect(faults).toEqual([]);
  });

  test('administrators say who may read and write it, and nobody else sees that part', async () => {
    let [id, member] = ['', undefined as unknown as Person];
    const { page, client, faults } = await opened(async (given) => {
      id = await table(given, 'orders', cities);
      member = await personOf(workspace, given, 'member');
    });
    const theirs = async () => {
      const answer = await member.call('GET', `/v1/tables/${id}`);
      const { tables } = (await member.call('GET', '/v1/tables')).body;
      return [answer.status, tables.some((one: { id: string }) => one.id === id)];
    };
    expect(await theirs()).toEqual([200, true]);
    await page.goto(`/console/tables/${id}`);
    await openPart(page, 'Settings');
    await page.getByRole('button', { name: 'Remove everyone' }).click();
    await page.getByText('Only administrators have access.').waitFor();
    await page.getByRole('button', { name: 'Save access' }).click();
    await page.getByText('Saved.').waitFor();
    expect(await theirs()).toEqual([404, false]);
    await page.getByLabel('Add').selectOption({ label: `member (${member.email})` });
    const access = page.getByLabel(`Access of member (${member.email})`);
    await access.selectOption('read and write');
    await page.getByText('Saved.').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Save access' }).click();
    await page.getByText('Saved.').waitFor();
    expect(await theirs()).toEqual([200, true]);
    expect((await client.call('GET', `/v1/tables/${id}/grants`)).body.data.grants).toEqual([
      { principal: 'user', id: member.id, access: 'write' },
    ]);
    const refused = { status: 409, json: { code: 'conflict', detail: 'Refused for a test.' } };
    await page.route('**/grants', (route) =>
      route.request().method() === 'PUT' ? route.fulfill(refused) : route.fallback(),
    );
    await page.getByRole('button', { name: 'Save access' }).click();
    await page.getByText('Refused for a test.').waitFor();
    await page.route('**/v1/me', async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as { data: object };
      await route.fulfill({ response: answer, json: { ...body, data: { ...body.data, admin: false } } });
    });
    await page.reload();
    await page.getByRole('heading', { name: 'Edit description' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Access' }).count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test('the list says of each what is known of it, and is of one kind and tier if that is asked for', async () => {
    const { page, faults } = await opened(async (client) => {
      const id = await shaped(client);
      const curated = await client.call('PATCH', `/v1/tables/${id}/catalog`, {
        body: { modeling_tier: 'curated' },
      });
      expect(curated.status, curated.text).toBe(200);
      const body = { name: 'totals', kind: 'calc', query: 'SELECT sum(amount) AS total FROM orders' };
      const made = await client.call('POST', '/v1/grid/tables', { body });
      expect(made.status, made.text).toBe(201);
      const path = `/v1/grid/tables/${made.body.data.tableId}`;
      expect((await client.call('POST', `${path}/materialize`)).status).toBe(202);
      await expectEventually(async () => (await client.call('GET', path)).body.data.status).toBe('fresh');
    });
    await page.reload();
    const row = (name: string) => page.getByRole('row').filter({ hasText: name });
    await row('orders').getByText('curated').waitFor();
    await row('orders').getByText('no tests').waitFor();
    await row('totals').getByText('calculated').waitFor();
    await row('totals').getByText('fresh', { exact: true }).waitFor();
    await inspect(page, 'tables-known');
    await page.getByLabel('Kind').selectOption('calculated');
    await page.getByRole('link', { name: 'orders' }).waitFor({ state: 'detached' });
    await expectEventually(() => new URL(page.url()).search).toBe('?kind=calc');
    await page.getByLabel('Tier').selectOption('curated');
    await page.getByText('No table or view matches the filters.').waitFor();
    await page.getByLabel('Kind').selectOption('all');
    await page.getByRole('link', { name: 'orders' }).waitFor();
    expect(new URL(page.url()).search).toBe('?tier=curated');
    await page.reload();
    await page.getByRole('link', { name: 'orders' }).waitFor();
    expect(await page.getByRole('link', { name: 'totals' }).count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test('a part that fails says so, and is asked again', async () => {
    let id = '';
    const { page } = await opened(async (client) => {
      id = await shaped(client);
    });
    await page.route('**/versions?*', (route) =>
      route.fulfill({ status: 422, json: { code: 'conflict', detail: 'Broken for a test.' } }),
    );
    await page.route('**/versions', (route) =>
      route.fulfill({ status: 422, json: { code: 'conflict', detail: 'Broken for a test.' } }),
    );
    await page.goto(`/console/tables/${id}`);
    await openPart(page, 'Versions');
    await page.getByText('Broken for a test.').waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page
      .getByRole('link', { name: /^Read version/ })
      .first()
      .waitFor();
  });

  test('it is accessible in light and dark colours, and fits a narrow window', async () => {
    let id = '';
    const { page } = await opened(async (client) => {
      id = await shaped(client);
    });
    await page.goto(`/console/tables/${id}`);
    await openPart(page, 'Columns');
    await inspect(page, 'table-columns');
    await openPart(page, 'Settings');
    await page.getByRole('button', { name: 'Save access' }).waitFor();
    await inspect(page, 'table-settings');
    await openPart(page, 'Versions');
    await page
      .getByRole('link', { name: /^Read version/ })
      .first()
      .waitFor();
    await inspect(page, 'table-versions');
    await openPart(page, 'Profile');
    await page.getByRole('button', { name: 'Profile table' }).click();
    await page.getByRole('img', { name: 'Distribution of the values of amount' }).waitFor();
    await inspect(page, 'table-parts');
    await openPart(page, 'Tests');
    await page.getByRole('button', { name: 'Run tests' }).click();
    await page.getByText(/· tests fail ·/).waitFor();
    await inspect(page, 'table-tests');
    await openPart(page, 'Lineage');
    await page.getByRole('img', { name: /^Lineage of orders/ }).waitFor();
    await inspect(page, 'table-lineage');
  });
});
