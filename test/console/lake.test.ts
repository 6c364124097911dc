import { expect, test } from 'vitest';
import { inspect } from '../api/pages/in-browser/inspect.ts';
import { expectTitle } from '../api/pages/in-browser/lab.ts';
import { describeInChromium } from '../support/chromium.ts';
import { expectEventually } from '../support/eventually.ts';
import { otherEngine, paste, rowsOf } from '../support/lake-credentials.ts';
import { useWorkspace } from '../support/workspace.ts';
import { hasRun, hostile, useConsole } from './opened.ts';

const workspace = useWorkspace();

describeInChromium('access to the lake', () => {
  const { opened, table } = useConsole(workspace);

  async function settings() {
    const one = await opened((client) => table(client, 'orders', [{ city: 'Porto', amount: 30 }]));
    await one.page.getByRole('link', { name: 'Settings' }).click();
    await expectTitle(one.page, 'Settings');
    await one.page.getByRole('link', { name: 'Lake access' }).click();
    const part = one.page
      .locator('section.settings')
      .filter({ has: one.page.getByRole('heading', { name: 'Lake access' }) });
    return { ...one, part };
  }

  test('a credential is issued, reads in DuckDB what was pasted, and is revoked', async () => {
    const { page, client, part, faults } = await settings();
    await part.getByText('There are no credentials.').waitFor();
    await part.getByLabel('Credential name').fill(hostile[0]!);
    await part.getByRole('button', { name: 'Create credential' }).click();
    const sql = await part.getByLabel('Statement for DuckDB').inputValue();
    const engine = await otherEngine();
    await paste(engine, sql);
    expect(await rowsOf(engine, 'SELECT city FROM orders')).toEqual([['Porto']]);
    await part.getByRole('button', { name: 'Close' }).click();
    expect(await part.getByLabel('Statement for DuckDB').count()).toBe(0);
    const row = part.getByRole('row').filter({ hasText: hostile[0]! });
    await row.getByText('active').waitFor();
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await row.getByText('revoked').waitFor();
    await expectEventually(async () => {
      const { items } = (await client.call('GET', '/v1/lake/credentials')).body;
      return items.map(({ status }: { status: string }) => status);
    }).toEqual(['revoked']);
    expect([await hasRun(page), faults]).toEqual([false, []]);
  });

  test('what is refused is told, and who is no administrator is not asked for it', async () => {
    const { page, part } = await settings();
    await page.route('**/v1/lake/credentials', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 409, json: { code: 'conflict', detail: 'Refused for a test.' } })
        : route.fallback(),
    );
    await part.getByLabel('Credential name').fill('notebooks');
    await part.getByRole('button', { name: 'Create credential' }).click();
    await part.getByText('Refused for a test.').waitFor();
    let asked = 0;
    page.on('request', (request) => {
      if (/lake\/credentials|verification-tests/.test(request.url())) asked += 1;
    });
    await page.route('**/v1/me', async (route) => {
      const response = await route.fetch();
      const { data } = (await response.json()) as { data: object };
      await route.fulfill({ response, json: { data: { ...data, admin: false } } });
    });
    await page.reload();
    await part.getByText('Only administrators and owners can see this.').waitFor();
    await page.goto('/console/tests');
    await page.getByText('Only administrators and owners can see this.').waitFor();
    expect(asked).toBe(0);
  });

  test('it is accessible in light and dark colours, and fits a narrow window', async () => {
    const { page, part } = await settings();
    await part.getByLabel('Credential name').fill('notebooks');
    await part.getByRole('button', { name: 'Create credential' }).click();
    // Pictures are kept as documents, which no secret belongs in.
    await part.getByRole('button', { name: 'Close' }).click();
    await part.getByRole('row').filter({ hasText: 'notebooks' }).getByText('active').waitFor();
    await inspect(page, 'lake-credentials');
  });
});
