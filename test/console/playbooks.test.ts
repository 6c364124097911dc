import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { inspect } from '../api/pages/in-browser/inspect.ts';
import { expectTitle } from '../api/pages/in-browser/lab.ts';
import { describeInChromium } from '../support/chromium.ts';
import { expectEventually } from '../support/eventually.ts';
import { attachedTable } from '../support/runs.ts';
import { writtenPlaybook } from '../support/schedules.ts';
import type { TestClient } from '../support/workspace.ts';
import { chooseMore, hasRun, hostile, openPart, useConsole } from './opened.ts';

const room = { path: '/console/in-project/playbooks', title: 'Playbooks' };
const since = { since: { type: 'date', required: true, description: 'The first day.' } };

describeInChromium('playbooks in the console', () => {
  const { opened, project } = useConsole();
  const save = (page: Page) => page.getByRole('button', { name: 'Save playbook' }).click();
  const described = async (page: Page, label: string) => {
    const field = page.getByLabel(label);
    const ids = (await field.getAttribute('aria-describedby'))?.split(' ') ?? [];
    return (await Promise.all(ids.map((id) => page.locator(`[id="${id}"]`).textContent()))).join(' ');
  };

  test('one is written, run with a value, changed and deleted', async () => {
    const { page, faults, elsewhere } = await opened(async (client) => {
      const projectId = await project(client);
      await attachedTable(client, projectId, 'orders', [{ s_id: 1, city: 'Porto' }]);
    }, room);
    await page.getByText('This project has no playbooks yet.').waitFor();
    await page.getByText('New playbook').click();
    await page.getByRole('button', { name: 'Create playbook' }).click();
    await page.locator('.fault').first().waitFor();
    const title = page.getByLabel('Title', { exact: true });
    expect(await title.getAttribute('aria-invalid')).toBe('true');
    expect(await title.evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);

    await page.getByLabel('Title', { exact: true }).fill('Orders since ${since}');
    await page.getByLabel('Instructions').fill('# Orders\n\n- how many orders');
    await page.getByRole('button', { name: 'Add parameter' }).click();
    await page.getByLabel('Name', { exact: true }).fill('since');
    await page.getByLabel('Type', { exact: true }).selectOption('date');
    await page.getByLabel('Required').check();
    await page.getByRole('button', { name: 'Create playbook' }).click();
    await expectTitle(page, 'Orders since ${since}');

    await page.getByRole('button', { name: 'Run playbook' }).click();
    await page.getByText('This parameter is required.').waitFor();
    expect(await described(page, 'since (required)')).toContain('This parameter is required.');
    await openPart(page, 'Edit');
    await page.getByLabel('Instructions').fill('# Orders\n\n- how many orders\n- how many cities');
    await save(page);
    await page.getByText('Saved as revision 2.').waitFor();
    const versions = page.getByRole('table', { name: 'Versions' });
    await openPart(page, 'Versions');
    await versions.getByRole('rowheader', { name: '1', exact: true }).waitFor();
    await expectEventually(() => versions.getByRole('row').count()).toBe(3);

    await openPart(page, 'Run');
    await page.getByLabel('since (required)').fill('2026-11-01');
    await page.getByRole('button', { name: 'Run playbook' }).click();
    await page.waitForURL(/\/projects\/prj_\w+\/runs\/run_\w+$/);
    await page.goBack();
    await expectTitle(page, 'Orders since ${since}');
    await chooseMore(page, 'Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expectTitle(page, 'Playbooks');
    await page.getByText('This project has no playbooks yet.').waitFor();
    expect([faults, elsewhere]).toEqual([[], []]);
  });

  test('a change that was overtaken is told, and the newest can be taken', async () => {
    let change = async () => {};
    const { page } = await opened(async (client) => {
      const projectId = await project(client);
      const id = await writtenPlaybook(client, projectId, { title: 'Old' });
      change = async () => {
        const body = { title: 'Newest' };
        await client.call('PATCH', `/v1/projects/${projectId}/playbooks/${id}`, { body });
      };
    }, room);
    await page.getByRole('link', { name: 'Old' }).click();
    await expectTitle(page, 'Old');
    await openPart(page, 'Edit');
    await change();
    await page.getByLabel('Title', { exact: true }).fill('Mine');
    await save(page);
    await page.getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Discard my changes and load the stored version' }).click();
    await expectTitle(page, 'Newest');
    expect(await page.getByLabel('Title', { exact: true }).inputValue()).toBe('Newest');
    await page.getByLabel('Title', { exact: true }).fill('Mine');
    await save(page);
    await expectTitle(page, 'Mine');
  });

  test('an API that fails is told, and asked again; what people wrote is text', async () => {
    const { page, faults } = await opened(async (client) => {
      const projectId = await project(client, hostile[0]);
      await writtenPlaybook(client, projectId, {
        title: hostile[0],
        instructions: hostile.join('\n'),
        parameters: { since: { type: 'string', description: hostile[1] } },
      });
    }, room);
    let isBroken = true;
    await page.route('**/playbooks*', (route) =>
      isBroken && route.request().resourceType() === 'fetch'
        ? route.fulfill({ status: 422, json: { code: 'conflict', detail: hostile[0] } })
        : route.continue(),
    );
    await page.reload();
    await page.getByRole('alert').getByText(hostile[0]!).waitFor();
    isBroken = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: hostile[0]! }).click();
    await expectTitle(page, hostile[0]!);
    await page.getByText(hostile[1]!).first().waitFor();
    expect([await hasRun(page), faults]).toEqual([false, []]);
  });

  test('the pages are accessible in light and dark colours, and fit a narrow window', async () => {
    const prepare = async (client: TestClient) => {
      const projectId = await project(client);
      const title = 'Orders of a_very_long_name_that_nobody_would_ever_type_by_hand since ${since}';
      const parameters = { ...since, table: { type: 'table' }, all: { type: 'boolean', default: true } };
      await writtenPlaybook(client, projectId, { title, parameters });
    };
    const { page } = await opened(prepare, { ...room });
    await page.getByRole('link', { name: /^Orders of/ }).waitFor();
    await inspect(page, 'playbooks');
    await page.getByRole('link', { name: /^Orders of/ }).click();
    await page.getByRole('heading', { level: 1, name: /^Orders of/ }).waitFor();
    await page.getByRole('button', { name: 'Run playbook' }).click();
    await page.getByText('This parameter is required.').waitFor();
    await inspect(page, 'playbook');
    await openPart(page, 'Edit');
    await page.getByLabel('Instructions').waitFor();
    await inspect(page, 'playbook-edit');
    await openPart(page, 'Versions');
    await page.getByRole('table', { name: 'Versions' }).waitFor();
    await inspect(page, 'playbook-versions');
  });
});
