import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const themes = ['light', 'dark'] as const;

/** The narrowest window in which nothing may have to be scrolled sideways (WCAG 1.4.10), and a phone's. */
const narrow = { width: 320, height: 640 };
const phone = { width: 360, height: 740 };
const wide = { width: 1280, height: 800 };

/** Pictures of every page are put into this folder, for who wants to look at them. */
const picturesFolder = process.env['PAGE_PICTURES'];

/** What WCAG 2 A and AA ask, and what is good practice besides. */
const everything = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * That the page which is open is accessible as WCAG 2 A and AA ask, in light and dark colours, and fits into a
 * narrow window. Themes differ in colours alone.
 */
export async function inspect(page: Page, name: string): Promise<void> {
  await page.setViewportSize(wide);
  await page.evaluate(axe.source);
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme });
    await takePictures(page, `${name}-${colorScheme}`);
    const { violations, passes } = await page.evaluate(
      (runOnly) => (globalThis as unknown as { axe: typeof axe }).axe.run({ runOnly }),
      colorScheme === 'light' ? everything : ['color-contrast'],
    );
    const found = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
    expect(found, `${name}, ${colorScheme}`).toEqual([]);
    expect(passes.map(({ id }) => id)).toContain('color-contrast');
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(narrow);
  const [content, shown] = await page.evaluate<[number, number]>(
    '[document.documentElement.scrollWidth, innerWidth]',
  );
  expect(content, `${name} is wider than a narrow window`).toBeLessThanOrEqual(shown);
  await page.setViewportSize(wide);
}

async function takePictures(page: Page, name: string): Promise<void> {
  if (picturesFolder === undefined) return;
  await picture(page, name);
  await page.setViewportSize(phone);
  await picture(page, `${name}-phone`);
  await page.setViewportSize(wide);
}

async function picture(page: Page, name: string): Promise<void> {
  await mkdir(picturesFolder!, { recursive: true });
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 60 });
  await session.detach();
  await writeFile(join(picturesFolder!, `${name}.webp`), data, 'base64');
}
