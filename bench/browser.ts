import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** The machine's own browser: Debian's package chromium-headless-shell, or chromium. */
export function launchBrowser(): Promise<Browser> {
  const paths = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
  const executablePath = paths.find((path) => existsSync(path));
  if (executablePath === undefined) throw new Error(`There is no browser: ${paths.join(' or ')}.`);
  // The sandbox refuses to run as root.
  return chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 });
}
