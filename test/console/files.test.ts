import { expect, test } from 'vitest';
import { inspect } from '../api/pages/in-browser/inspect.ts';
import { expectTitle } from '../api/pages/in-browser/lab.ts';
import { describeInChromium } from '../support/chromium.ts';
import { expectEventually } from '../support/eventually.ts';
import { useWorker } from '../support/worker.ts';
import { type TestClient, useWorkspace } from '../support/workspace.ts';
import { hasRun, useConsole } from './opened.ts';

const workspace = useWorkspace();
useWorker(workspace);

const hostileName = '<img src=x onerror="ran=1">.csv';

describeInChromium('files of a project', () => {
  const { opened, project } = useConsole(workspace);

  async function keeping() {
    let projectId = '';
    const write = async (client: TestClient, path: string) => {
      const query = `path=${encodeURIComponent(path)}`;
      const body = { content: 'city,amount\nPorto,30\n' };
      const written = await client.call('PUT', `/v1/projects/${projectId}/files/content?${query}`, { body });
      expect([200, 201], written.text).toContain(written.status);
    };
    const one = await opened(async (client) => {
      projectId = await project(client);
      await write(client, 'raw/orders.csv');
      await write(client, hostileName);
    });
    await one.page.getByRole('link', { name: 'Import a file' }).click();
    await one.page.getByRole('link', { name: /already in this project/ }).click();
    await expectTitle(one.page, 'Files');
    return { ...one, path: `/v1/projects/${projectId}/files` };
  }

  test('they are listed, brought in, downloaded and deleted', async () => {
    const { page, client, faults, path } = await keeping();
    const row = (name: string) => page.getByRole('row').filter({ hasText: name });
    await row(hostileName).waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      row('raw/orders.csv').getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('orders.csv');
    await page.getByRole('link', { name: 'Import raw/orders.csv' }).click();
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByText('1 row imported.').waitFor();
    await page.goBack();
    await page.goBack();
    await expectTitle(page, 'Files');
    await row(hostileName).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await row(hostileName).waitFor({ state: 'detached' });
    const { items } = (await client.call('GET', path)).body;
    expect(items.map((one: { path: string }) => one.path)).toEqual(['raw/orders.csv']);
    expect([await hasRun(page), faults]).toEqual([false, []]);
  });

  test('without any that is said, and an API that fails is told and asked again', async () => {
    const { page, client, path } = await keeping();
    for (const { id } of (await client.call('GET', path)).body.items)
      expect((await client.call('DELETE', `${path}/${id}`)).status).toBe(200);
    const broken = { status: 422, json: { code: 'conflict', detail: 'Broken for a test.' } };
    await page.route('**/v1/**/files*', (route) => route.fulfill(broken));
    await page.reload();
    await page.getByText('Broken for a test.').waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('This project has no files yet.').waitFor();
  });

  test('past exports are found, with their files', async () => {
    const { page, client, faults } = await keeping();
    const exported = async (sql: string) => {
      const started = await client.call('POST', '/v1/exports', { body: { sql, format: 'csv' } });
      expect(started.status, started.text).toBe(202);
    };
    await exported('SELECT 7 AS seven');
    await exported("SELECT CAST('x' AS INTEGER) AS wrong FROM range(1)");
    await page.getByRole('link', { name: 'Query', exact: true }).click();
    await page.getByText('Exports').click();
    const list = page.getByRole('table', { name: 'Exports' });
    await list.getByText('failed', { exact: true }).waitFor();
    await list.getByText(/Conversion Error/).waitFor();
    await list.getByRole('button', { name: 'Show files' }).click();
    const link = list.getByRole('link', { name: 'export.csv' });
    const file = await fetch((await link.getAttribute('href'))!);
    expect(await file.text()).toBe('seven\r\n7\r\n');
    await expectEventually(() => list.getByRole('row').count()).toBe(3);
    await inspect(page, 'exports');
    expect(faults).toEqual([]);
  });

  test('they are accessible in light and dark colours, and fit a narrow window', async () => {
    const { page } = await keeping();
    await page.getByText('raw/orders.csv').first().waitFor();
    await inspect(page, 'files');
  });
});
