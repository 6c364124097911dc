import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';
import { afterEach, beforeAll, describe } from 'vitest';

/** The machine's own browser, of a Debian package; the shell needs half the time. Nothing is downloaded. */
const executablePath = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
  .flatMap((name) => (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name)))
  .find(isExecutable);

const isMissing = executablePath === undefined;
const why = "skipped: no chromium on this machine; Debian's package chromium-headless-shell has one";
if (isMissing) console.warn(`The tests of the pages in a browser are ${why}.`);

/** Tests in a real browser, which are skipped where the machine has none. */
export const describeInChromium = (title: string, tests: () => void) =>
  describe.skipIf(isMissing)(isMissing ? `${title} (${why})` : title, tests);

/** As patient as the other waits of tests. */
const patienceMs = 180_000;

export interface TestChromium {
  /** A browser profile of its own, which ends with the test. */
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>;
}

/** Of the files of this process; it ends with the process. */
let browser: Promise<Browser> | undefined;

/** A headless browser for the tests of the surrounding block. */
export function useChromium(): TestChromium {
  let contexts: BrowserContext[] = [];
  beforeAll(async () => {
    browser ??= chromium.launch({
      executablePath: executablePath!,
      args: ['--disable-gpu'],
      // The sandbox refuses to run as root.
      chromiumSandbox: process.getuid?.() !== 0,
      // What people's browsers keep of pages that they left must be safe to keep.
      ignoreDefaultArgs: ['--disable-back-forward-cache'],
    });
    await browser;
  });
  afterEach(async ({ task }) => {
    for (const context of contexts) {
      if (task.result?.state === 'fail') await tellPages(task.name, context);
      await context.close();
    }
    contexts = [];
  });
  return {
    async newContext(options = {}) {
      const context = await (await browser!).newContext({ javaScriptEnabled: false, ...options });
      context.setDefaultTimeout(patienceMs);
      context.setDefaultNavigationTimeout(patienceMs);
      contexts.push(context);
      return context;
    },
  };
}

/** What the pages showed when a test failed: a step that waited in vain does not say what was there instead. */
async function tellPages(test: string, context: BrowserContext): Promise<void> {
  for (const page of context.pages()) {
    const shown = await page.locator('body').ariaSnapshot().catch(String);
    console.error(`"${test}" failed; ${page.url()} showed:\n${shown.slice(0, 6_000)}`);
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
