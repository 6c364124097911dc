import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

export type Theme = 'light' | 'dark';
export const themes: readonly Theme[] = ['light', 'dark'];

/** The narrowest window in which nothing may have to be scrolled sideways (WCAG 1.4.10), and a phone's. */
const narrow = { width: 320, height: 640 };
const phone = { width: 360, height: 740 };
const wide = { width: 1280, height: 800 };

/** Pictures of every page are put into this folder, for who wants to look at them. */
const picturesFolder = process.env['PAGE_PICTURES'];

/** That the page which is open is accessible as WCAG 2 A and AA ask, and fits into a narrow window. */
export async function inspect(page: Page, name: string, theme: Theme): Promise<void> {
  await page.setViewportSize(wide);
  await picture(page, `${name}-${theme}`);
  await page.evaluate(axe.source);
  const { violations, passes } = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    }),
  );
  const found = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  expect(found, `${name}, ${theme}`).toEqual([]);
  expect(passes.map(({ id }) => id)).toContain('color-contrast');
  await page.setViewportSize(phone);
  await picture(page, `${name}-${theme}-phone`);
  await page.setViewportSize(narrow);
  const [content, shown] = await page.evaluate<[number, number]>(
    '[document.documentElement.scrollWidth, innerWidth]',
  );
  expect(content, `${name} is wider than a narrow window`).toBeLessThanOrEqual(shown);
  await page.setViewportSize(wide);
}

async function picture(page: Page, name: string): Promise<void> {
  if (picturesFolder === undefined) return;
  await mkdir(picturesFolder, { recursive: true });
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 60 });
  await session.detach();
  await writeFile(join(picturesFolder, `${name}.webp`), data, 'base64');
}
