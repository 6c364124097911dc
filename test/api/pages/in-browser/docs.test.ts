import { expect, test } from 'vitest';
import { describeInChromium } from '../../../support/chromium.ts';
import { useWorkspace } from '../../../support/workspace.ts';
import { useBrowserLab } from './lab.ts';

describeInChromium('the interface at /docs', () => {
  const lab = useBrowserLab(useWorkspace());

  test('works under its policy', async () => {
    const page = await lab.newPage({ javaScriptEnabled: true });
    const faults: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });
    page.on('pageerror', ({ message }) => faults.push(message));
    await page.goto('/docs');
    await page
      .getByRole('heading', { name: /Analytics Workspace/ })
      .first()
      .waitFor();
    await page.locator('#operations-tag-Auth').click();
    expect(faults).toEqual([]);
  });
});
