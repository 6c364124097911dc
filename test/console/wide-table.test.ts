import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { inspect } from '../api/pages/in-browser/inspect.ts';
import { expectTitle } from '../api/pages/in-browser/lab.ts';
import { describeInChromium } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { useWorker } from '../support/worker.ts';
import { type TestClient, useWorkspace } from '../support/workspace.ts';
import { useConsole, writeSql } from './opened.ts';

const workspace = useWorkspace();
useWorker(workspace);

const count = 250;
const rows = 500;
/** In row r the column c has r · 1000 + c. */
const valuesOf = (columns: number) =>
  `SELECT ${Array.from({ length: columns }, (_, at) => `n * 1000 + ${at} AS c${at}`).join(', ')}
   FROM (SELECT range AS n FROM range(${rows})) ORDER BY n`;

interface Measured {
  textContent: string | null;
  isConnected: boolean;
  getAttribute(name: string): string | null;
  getBoundingClientRect(): { left: number; right: number; top: number; bottom: number };
}
type Frame = Measured & {
  scrollLeft: number;
  scrollTop: number;
  scrollWidth: number;
  querySelectorAll(what: string): Iterable<Measured>;
};

describeInChromium('a table of many columns', () => {
  const { opened } = useConsole(workspace);
  const gridOf = (page: Page) => page.getByRole('region', { name: 'Rows' });
  const cell = (page: Page, value: number) =>
    gridOf(page).getByRole('cell', { name: String(value), exact: true });
  const head = (page: Page, name: string) =>
    gridOf(page).getByRole('columnheader', { name: new RegExp(`^${name}$`) });

  async function shown(columns: number) {
    let id = '';
    const there = await opened(async (client: TestClient) => {
      const view = { name: 'wide', query: valuesOf(columns) };
      const made = await client.call('POST', '/v1/views', { body: view });
      expect(made.status, made.text).toBe(201);
      id = made.body.data.id;
    });
    await there.page.goto(`/console/tables/${id}`);
    await cell(there.page, 1).waitFor();
    return there;
  }

  const scroll = (page: Page, to: { left?: number; top?: number }) =>
    gridOf(page).evaluate((frame, { left, top }) => {
      const scrolled = frame as unknown as Frame;
      if (left !== undefined) scrolled.scrollLeft = left;
      if (top !== undefined) scrolled.scrollTop = top;
    }, to);

  /** What is drawn: each head and each cell by the number of its column, and where its left edge is in the whole. */
  const drawn = (page: Page) =>
    gridOf(page).evaluate((frame) => {
      const within = frame as unknown as Frame;
      const origin = within.getBoundingClientRect().left - within.scrollLeft;
      const all = (what: string) =>
        [...within.querySelectorAll(what)].map((one) => ({
          column: Number(one.getAttribute('aria-colindex')) - 1,
          text: one.textContent ?? '',
          left: Math.round(one.getBoundingClientRect().left - origin),
        }));
      return { heads: all('th'), cells: all('td') };
    });

  /** That heads and cells are those of their columns, and one under the other. */
  async function expectInStep(page: Page) {
    const { heads, cells } = await drawn(page);
    const lefts = new Map(heads.map(({ column, left }) => [column, left]));
    for (const { column, text } of heads) expect(text).toBe(`c${column}`);
    for (const { column, text, left } of cells) {
      expect(Number(text) % 1000).toBe(column);
      expect(left).toBe(lefts.get(column));
    }
    expect(cells.length).toBeLessThan(2_000);
    return lefts;
  }

  test('the first column and the last are reached, values stand under their heads, and few cells are drawn', async () => {
    const { page, faults } = await shown(count);
    const table = gridOf(page).getByRole('table');
    expect(await table.getAttribute('aria-colcount')).toBe(String(count));
    const atFirst = await expectInStep(page);
    expect(atFirst.get(0)).toBeDefined();
    expect(atFirst.has(count - 1)).toBe(false);
    await gridOf(page).focus();
    await page.keyboard.press('Control+ArrowRight');
    await head(page, `c${count - 1}`).waitFor();
    await cell(page, 1_000 + count - 1).waitFor();
    const atLast = await expectInStep(page);
    expect(atLast.has(0)).toBe(false);
    // The last one ends where the frame does.
    const [end, whole] = await gridOf(page).evaluate((frame) => {
      const within = frame as unknown as Frame;
      const last = [...within.querySelectorAll('th')].at(-1)!.getBoundingClientRect().right;
      return [last - within.getBoundingClientRect().left + within.scrollLeft, within.scrollWidth];
    });
    expect(Math.abs(end! - whole!)).toBeLessThanOrEqual(3);
    await page.keyboard.press('End');
    await cell(page, (rows - 1) * 1_000 + count - 1).waitFor();
    await expectInStep(page);
    await page.keyboard.press('Control+ArrowLeft');
    await cell(page, (rows - 1) * 1_000).waitFor();
    await page.keyboard.press('Home');
    await cell(page, 0).waitFor();
    expect(await expectInStep(page)).toEqual(atFirst);
    expect(faults).toEqual([]);
  });

  test('columns keep their places and widths, wherever one comes from, and arrows lead on', async () => {
    const { page } = await shown(count);
    const places = new Map<number, number>();
    for (const left of [0, 3_000, 9_000, 4_000, 2_000, 0]) {
      await scroll(page, { left, top: left / 2 });
      await eventually(
        () => drawn(page),
        ({ heads }) => heads.some((one) => one.left >= left && one.left < left + 300),
      );
      for (const [column, at] of await expectInStep(page)) {
        expect(places.get(column) ?? at).toBe(at);
        places.set(column, at);
      }
    }
    expect(places.size).toBeGreaterThan(40);
    await gridOf(page).focus();
    for (let n = 0; n < 60; n += 1) await page.keyboard.press('ArrowRight');
    // Drawn on the way and at its end, where c20 is out of sight again.
    await head(page, 'c30').waitFor();
    await expectInStep(page);
  });

  test('a table of fewer columns is drawn as it is', async () => {
    const { page } = await shown(40);
    expect(await gridOf(page).getByRole('table').getAttribute('aria-colcount')).toBeNull();
    expect(await gridOf(page).getByRole('columnheader').count()).toBe(40);
  });

  test('an answer is put in order by any of its columns, and keys go on where a head is out of sight', async () => {
    const { page, faults } = await opened();
    await page.goto('/console/query');
    await expectTitle(page, 'Query');
    await writeSql(page, valuesOf(count));
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await cell(page, 1).waitFor();
    const { heads } = await drawn(page);
    await gridOf(page).focus();
    await page.keyboard.press('Control+ArrowRight');
    const last = gridOf(page).getByRole('button', { name: `c${count - 1}`, exact: true });
    await last.click();
    await last.click();
    await cell(page, (rows - 1) * 1_000 + count - 1).waitFor();
    const order = gridOf(page).locator('th[aria-sort="descending"]');
    expect(await order.textContent()).toBe(`c${count - 1}`);
    await scroll(page, { left: 0 });
    await head(page, 'c0').waitFor();
    await eventually(
      () => page.evaluate<string>('document.activeElement.className'),
      (focused) => focused === 'grid wide',
    );
    expect((await drawn(page)).heads).toEqual(heads);
    expect(faults).toEqual([]);
  });

  test('it is accessible in light and dark colours, and fits a narrow window', async () => {
    const { page } = await shown(count);
    await inspect(page, 'wide-table');
  });
});
