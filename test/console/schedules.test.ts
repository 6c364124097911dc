import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { inspect } from '../api/pages/in-browser/inspect.ts';
import { expectTitle } from '../api/pages/in-browser/lab.ts';
import { describeInChromium } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { attachedTable } from '../support/runs.ts';
import { madeSchedule, writtenPlaybook } from '../support/schedules.ts';
import { useWorker } from '../support/worker.ts';
import { type TestClient, useWorkspace } from '../support/workspace.ts';
import { chooseMore, hasRun, hostile, openPart, useConsole } from './opened.ts';

const room = { path: '/console/schedules', title: 'Schedules' };
/** In the hour that clocks skip and repeat: both are within a hundred weeks. */
const nightly = { type: 'weekly', zone_id: 'Europe/Berlin', time_of_day: '02:30', days_of_week: ['SUNDAY'] };

describeInChromium('schedules in the console', () => {
  const workspace = useWorkspace();
  useWorker(workspace);
  const { opened, project } = useConsole(workspace);

  async function withOrders(client: TestClient): Promise<[projectId: string, playbookId: string]> {
    const projectId = await project(client);
    await attachedTable(client, projectId, 'orders', [{ s_id: 1, city: 'Porto' }]);
    return [projectId, await writtenPlaybook(client, projectId)];
  }

  /** Goes on by months until something unusual is noted. */
  const untilNoted = (page: Page, note: string) =>
    eventually(
      async () => {
        const isThere = (await page.getByText(note).count()) > 0;
        if (!isThere) await page.getByRole('button', { name: 'Next month' }).click();
        return isThere;
      },
      (isThere) => isThere,
    );

  test('one is made from a playbook, its faults told at their fields, and runs now', async () => {
    const { page, faults } = await opened(withOrders, {
      path: '/console/in-project/playbooks',
      title: 'Playbooks',
    });
    await page.getByRole('link', { name: 'Orders' }).click();
    await page.getByRole('link', { name: 'Run on a schedule' }).click();
    await expectTitle(page, 'Schedules');
    await page.getByText('There are no schedules yet.').waitFor();
    await page.getByLabel('Repeats').selectOption('weekly');
    await page.getByLabel('Time of day').fill('');
    await page.getByLabel('Time zone').fill('Europe/Nowhere');
    await page.getByLabel('Recipients of the output').fill('ada');
    await page.getByRole('button', { name: 'Create schedule' }).click();
    await page.locator('.fault').nth(2).waitFor();
    for (const label of ['Time of day', 'Time zone', 'Recipients of the output'])
      expect(await page.getByLabel(label).getAttribute('aria-invalid'), label).toBe('true');
    await page.getByLabel('Time of day').fill('08:00');
    await page.getByLabel('Time zone').fill('Europe/Berlin');
    await page.getByLabel('Monday').check();
    await page.getByLabel('Friday').check();
    await page.getByLabel('Description').fill('Orders of the week');
    await page.getByLabel('Recipients of the output').fill('ada@example.com');
    await page.getByLabel('Output folder').fill('weekly');
    await page.getByRole('button', { name: 'Create schedule' }).click();
    await expectTitle(page, 'Orders of the week');
    await page.getByText('every Monday and Friday at 08:00 (Europe/Berlin)').waitFor();
    expect(await page.getByRole('cell', { name: '08:00' }).count()).toBeGreaterThan(0);

    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await openPart(page, 'Edit');
    await page.getByLabel('Time of day').fill('09:15');
    await page.getByRole('button', { name: 'Save schedule' }).click();
    await page.getByText('every Monday and Friday at 09:15 (Europe/Berlin)').waitFor();
    await openPart(page, 'Upcoming runs');
    await page.getByRole('cell', { name: '09:15' }).first().waitFor();
    await openPart(page, 'Runs');

    await page.getByRole('button', { name: 'Run now' }).click();
    const runs = page.getByRole('table', { name: 'Runs' });
    await runs.getByRole('link', { name: 'Open run' }).waitFor();
    // There is no mail server here, so that the mail fails while the files arrive.
    await eventually(
      () => runs.getByText('failed').count(),
      (count) => count > 0,
    );
    await runs.locator('summary').click();
    const deliveries = page.getByRole('table', { name: 'Deliveries' });
    await deliveries.getByRole('rowheader', { name: 'ada@example.com' }).waitFor();
    expect(await deliveries.getByText('delivered', { exact: true }).count()).toBe(3);
    await runs.getByRole('link', { name: 'Open run' }).click();
    await page.waitForURL(/\/runs\/run_\w+$/);
    await page.goBack();
    await chooseMore(page, 'Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There are no schedules yet.').waitFor();
    expect(faults).toEqual([]);
  });

  test('the calendar marks where clocks are changed', async () => {
    const { page } = await opened(async (client) => {
      await madeSchedule(client, ...(await withOrders(client)), {
        schedule: nightly,
        description: 'Nightly',
      });
    }, room);
    await page.getByRole('link', { name: 'Nightly' }).click();
    await untilNoted(page, 'The clock skips this time');
    await page.getByText(/^March \d{4}$/).waitFor();
    await page.getByRole('cell', { name: '02:30 *' }).waitFor();
    await page.getByText('The run starts at 03:00 local time.').waitFor();
    await untilNoted(page, 'The clock shows this time twice');
    await page.getByText(/^October \d{4}$/).waitFor();
    const later = page.getByRole('button', { name: 'Next month' });
    await eventually(async () => {
      if (await later.isEnabled()) await later.click();
      return later.isDisabled();
    }, Boolean);
    await page.getByText('This list ends at').waitFor();
  });

  test('what did not run is made up for, once it was looked at', async () => {
    const { page, faults } = await opened(async (client) => {
      await madeSchedule(client, ...(await withOrders(client)), {
        schedule: nightly,
        description: 'Nightly',
      });
    }, room);
    await page.getByRole('link', { name: 'Nightly' }).click();
    await openPart(page, 'Backfills');
    await page.getByText('There are no backfills yet.').waitFor();
    await page.getByLabel('From', { exact: true }).fill('2026-01-03T00:00');
    await page.getByLabel('Until').fill('2026-01-02T00:00');
    await page.getByRole('button', { name: 'Preview runs' }).click();
    await page.locator('.fault').or(page.getByRole('alert')).first().waitFor();
    await page.getByLabel('Until').fill('2026-01-12T00:00');
    await page.getByRole('button', { name: 'Preview runs' }).click();
    await page.getByText('2 runs, from 2026-01-04').waitFor();
    await page.getByRole('button', { name: 'Start 2 runs' }).click();
    const made = page.getByRole('table', { name: 'Backfills' });
    await made.getByText('2 / 2').waitFor();
    await made.getByText('succeeded').waitFor();
    await openPart(page, 'Runs');
    const ran = page.getByRole('table', { name: 'Runs' });
    await ran.getByText('January 4, 2026').waitFor();
    await ran.getByText('January 11, 2026').waitFor();
    expect(faults).toEqual([]);
  });

  test('an API that fails is told, and asked again; what people wrote is text', async () => {
    const { page, faults } = await opened(async (client) => {
      await madeSchedule(client, ...(await withOrders(client)), { description: hostile[0] });
    }, room);
    let isBroken = true;
    await page.route(/\/v1\/schedules(\/|$)/, (route) =>
      isBroken
        ? route.fulfill({ status: 422, json: { code: 'conflict', detail: hostile[1] } })
        : route.continue(),
    );
    await page.reload();
    await page.getByRole('alert').getByText(hostile[1]!).waitFor();
    isBroken = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: hostile[0]! }).click();
    await expectTitle(page, hostile[0]!);
    await openPart(page, 'Runs');
    await page.getByText("This schedule hasn't run yet.").waitFor();
    isBroken = true;
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('alert').getByText(hostile[1]!).first().waitFor();
    isBroken = false;
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    expect([await hasRun(page), faults]).toEqual([false, []]);
  });

  test('the pages are accessible in light and dark colours, and fit a narrow window', async () => {
    const { page } = await opened(
      async (client) => {
        await madeSchedule(client, ...(await withOrders(client)), {
          schedule: nightly,
          description: 'Orders_of_a_very_long_name_that_nobody_would_ever_type_by_hand',
        });
      },
      { ...room },
    );
    await page.getByRole('link', { name: /^Orders_of/ }).waitFor();
    await inspect(page, 'schedules');
    await openPart(page, 'New schedule');
    await page.getByRole('button', { name: 'Create schedule' }).waitFor();
    await inspect(page, 'schedules-new');
    await page.reload();
    await page.getByRole('link', { name: /^Orders_of/ }).click();
    await untilNoted(page, 'The clock skips this time');
    await inspect(page, 'schedule');
    await openPart(page, 'Backfills');
    await page.getByText('There are no backfills yet.').waitFor();
    await inspect(page, 'schedule-backfills');
    await openPart(page, 'Edit');
    await page.getByRole('button', { name: 'Save schedule' }).waitFor();
    await inspect(page, 'schedule-form');
  });
});
