import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { inspect } from '../api/pages/in-browser/inspect.ts';
import { expectTitle } from '../api/pages/in-browser/lab.ts';
import { describeInChromium } from '../support/chromium.ts';
import { attach, rowsOf, snapshotOf, startSnapshot, untilStatus } from '../support/snapshots.ts';
import { useSourceDatabase } from '../support/source-database.ts';
import { useWorker } from '../support/worker.ts';
import { type TestClient, useWorkspace } from '../support/workspace.ts';
import { hasRun, hostile, openPart, useConsole } from './opened.ts';

const workspace = useWorkspace();
useWorker(workspace);
const source = useSourceDatabase();

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

describeInChromium('datasets', () => {
  const { opened, project } = useConsole(workspace);
  beforeAll(() =>
    source.run(
      `CREATE TABLE shop.orders (id bigint PRIMARY KEY, ${quoted(hostile[0]!)} text, changed_at timestamptz)`,
      "INSERT INTO shop.orders VALUES (1, 'Porto', now()), (2, 'Lagos', now())",
    ),
  );

  /** The page of a connection to the source; what it copies already is attached by `prepare`. */
  async function connected(
    prepare: (client: TestClient, connection: string) => Promise<unknown> = async () => undefined,
  ) {
    let connection = '';
    const found = await opened(async (client) => {
      await project(client);
      connection = await source.connect(client, { name: 'Shop' });
      await prepare(client, connection);
    });
    await found.page.goto(`/console/connections/${connection.split('/').at(-1)}`);
    await expectTitle(found.page, 'Shop');
    return { ...found, connection };
  }

  const form = (page: Page, name: string) => page.getByRole('form', { name: `Copy options of ${name}` });
  const listed = (page: Page) => page.getByRole('table', { name: 'Datasets' });

  test('how a resource is copied is chosen when it is made a dataset, and changed later', async () => {
    const { page, client, connection, faults } = await connected();
    const stored = async () => (await client.call('GET', `${connection}/datasets`)).body.items[0];
    await openPart(page, 'Resources');
    await page.getByRole('row').filter({ hasText: 'shop.orders' }).getByText('Choose options').click();
    const fresh = form(page, 'shop.orders');
    expect(await page.getByRole('button', { name: 'Choose options' }).first().isDisabled()).toBe(true);
    await fresh.getByLabel('Mode').selectOption('incremental');
    await fresh.getByRole('button', { name: 'Add dataset' }).click();
    await fresh.getByText('An incremental dataset needs a cursor').waitFor();
    expect(await fresh.getByLabel('id', { exact: true }).isChecked()).toBe(true);
    await fresh.getByLabel(hostile[0]!, { exact: true }).waitFor();
    await fresh.getByLabel('Cursor column').selectOption('changed_at');
    await fresh.getByLabel(/^Guard/).fill('7');
    await fresh.getByLabel('Schedule', { exact: true }).selectOption('minutes');
    await fresh.getByLabel(/^Minutes/).fill('1');
    await fresh.getByRole('button', { name: 'Add dataset' }).click();
    await fresh.getByText('The interval of a dataset must be 5 to 1440 minutes.').waitFor();
    await fresh.getByLabel(/^Minutes/).fill('30');
    await fresh.getByRole('button', { name: 'Add dataset' }).click();
    await fresh.waitFor({ state: 'detached' });
    expect(await stored()).toMatchObject({
      ...{ mode: 'incremental', cursor: 'changed_at', keyColumns: ['id'], snapshotEnabled: true },
      ...{ guard: { maxShrinkRatio: 0.07 }, schedule: { type: 'interval', everyMinutes: 30 } },
    });
    await openPart(page, 'Datasets');
    await listed(page).getByText('incremental by changed_at').waitFor();
    await listed(page).getByText('every 30 minutes').waitFor();
    await listed(page).getByRole('button', { name: 'Pause' }).click();
    await listed(page).getByText('every 30 minutes, paused').waitFor();
    await listed(page).getByRole('button', { name: 'Resume' }).click();
    await listed(page).getByRole('button', { name: 'Pause' }).waitFor();

    await openPart(page, 'Copy options of orders');
    const edited = form(page, 'orders');
    expect(await edited.getByLabel(/^Guard/).inputValue()).toBe('7');
    expect(await edited.getByLabel('Cursor column').inputValue()).toBe('changed_at');
    await edited.getByLabel('Name').fill(hostile[1]!);
    await edited.getByLabel('Mode').selectOption('full');
    await edited.getByLabel(/^Guard/).fill('');
    await edited.getByLabel('Schedule', { exact: true }).selectOption('clock');
    await edited.getByLabel('Repeats').selectOption('weekly');
    await edited.getByLabel('Project').selectOption('none');
    await edited.getByRole('button', { name: 'Save copy options' }).click();
    await edited.locator('fieldset .fault').waitFor();
    await edited.getByLabel('Friday').check();
    await edited.getByRole('button', { name: 'Save copy options' }).click();
    await listed(page).getByRole('rowheader', { name: hostile[1]! }).waitFor();
    await listed(page)
      .getByText(/^every Friday at 08:00/)
      .waitFor();
    expect(await stored()).toMatchObject({
      ...{ name: hostile[1], mode: 'full', guard: null, projectId: null },
      ...{ cursor: 'changed_at', schedule: { type: 'weekly', daysOfWeek: ['FRIDAY'] } },
    });
    expect([await hasRun(page), faults]).toEqual([false, []]);
  });

  test('columns are written where the source does not tell them, and what was written outlives a failure', async () => {
    const anchor = { time_of_day: '08:00', anchor_date: '2026-01-05' };
    const { page, client, connection } = await connected((client, connection) =>
      attach(client, connection, 'shop.orders', {
        name: 'orders',
        schedule: { type: 'interval', every_minutes: 30, zone_id: 'Europe/Berlin', ...anchor },
      }),
    );
    const refuse = (detail: string) => ({ status: 400, json: { code: 'source_failed', detail } });
    await page.route('**/resources', (route) => route.fulfill(refuse('It does not answer.')));
    await openPart(page, 'Copy options of orders');
    await page.getByText('It does not answer.').waitFor();
    const edited = form(page, 'orders');
    await edited.getByLabel('Mode').selectOption('incremental');
    await edited.getByLabel('Cursor column').fill('changed_at');
    await edited.getByLabel('Key columns').fill('id');
    await edited.getByLabel(/^Minutes/).fill('45');
    await page.route('**/datasets/*', (route) =>
      route.request().method() === 'PATCH' ? route.fulfill(refuse('It is not stored.')) : route.continue(),
    );
    await edited.getByRole('button', { name: 'Save copy options' }).click();
    await edited.getByText('It is not stored.').waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    await edited.getByRole('option', { name: 'changed_at (timestamp with time zone)' }).waitFor({
      state: 'attached',
    });
    expect(await edited.getByLabel('Cursor column').inputValue()).toBe('changed_at');
    await edited.getByRole('button', { name: 'Save copy options' }).click();
    await edited.getByText('Saved.').waitFor();
    const [{ cursor, keyColumns, snapshotEnabled, schedule }] = (
      await client.call('GET', `${connection}/datasets`)
    ).body.items;
    expect({ cursor, keyColumns, snapshotEnabled }).toEqual({
      ...{ cursor: 'changed_at', keyColumns: ['id'], snapshotEnabled: false },
    });
    expect(schedule).toMatchObject({
      ...{ everyMinutes: 45, zoneId: 'Europe/Berlin', anchorDate: '2026-01-05' },
      timeOfDay: expect.stringMatching(/^08:00/),
    });
  });

  /** A dataset of 100 rows, of which the source has 10 left, and its guard allows a loss of half. */
  async function shrunk(client: TestClient, connection: string, name: string) {
    await source.run(
      `CREATE TABLE IF NOT EXISTS shop.${name} AS SELECT generate_series(1, 100) AS a`,
      `GRANT SELECT ON shop.${name} TO ${source.role}`,
    );
    const { at } = await attach(client, connection, `shop.${name}`, {
      name,
      guard: { max_shrink_ratio: 0.5 },
    });
    expect((await snapshotOf(client, at)).status).toBe('succeeded');
    await source.run(`DELETE FROM shop.${name} WHERE a > 10`);
    return at;
  }

  test('a copy that its guard holds back tells what would be lost, and is refused or taken over', async () => {
    let at = '';
    const { page, client, faults } = await connected(async (client, connection) => {
      at = await shrunk(client, connection, 'guarded');
      // By nobody who looks at the page, as a schedule does.
      await untilStatus(client, await startSnapshot(client, at), 'awaiting_confirmation');
    });
    const held = page.getByRole('region', { name: 'Held copies' });
    await held.getByText('The table has 100 rows, and this copy has 10: 90% fewer.').waitFor();
    await page.route('**/catalog', (route) =>
      route.fulfill({ status: 404, json: { code: 'not_found', detail: 'It is gone.' } }),
    );
    await page.reload();
    await held.getByText('This copy has 10 rows. The guard').waitFor();
    await page.unrouteAll();
    await page.reload();
    await held.getByText('The table has 100 rows, and this copy has 10: 90% fewer.').waitFor();
    await held.getByText('The guard lets a copy lose up to 50%.').waitFor();
    await page.route('**/cancel?*', (route) =>
      route.fulfill({ status: 409, json: { code: 'conflict', detail: 'It cannot be refused now.' } }),
    );
    await held.getByRole('button', { name: 'Reject copy' }).click();
    await held.getByText('It cannot be refused now.').waitFor();
    await page.unrouteAll();
    await held.getByRole('button', { name: 'Reject copy' }).click();
    await held.getByText("The copy was rejected. The table didn't change.").waitFor();
    expect(await rowsOf(client, 'SELECT count(*) AS n FROM guarded')).toEqual([{ n: 100 }]);

    await listed(page).getByRole('button', { name: 'Copy now' }).click();
    await openPart(page, /^Copies/);
    const copies = page.locator('details').filter({ has: page.getByRole('heading', { name: /^Copies/ }) });
    await copies.getByText('The table has 100 rows, and this copy has 10: 90% fewer.').waitFor();
    await copies.getByRole('button', { name: 'Apply copy' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Apply copy' }).click();
    await copies.getByText('The copy was applied. It has 10 rows.').waitFor();
    expect(await rowsOf(client, 'SELECT count(*) AS n FROM guarded')).toEqual([{ n: 10 }]);
    expect([await hasRun(page), faults]).toEqual([false, []]);
  });

  test('its forms are accessible in light and dark colours, and fit a narrow window', async () => {
    const { page } = await connected(async (client, connection) => {
      const at = await shrunk(client, connection, 'held');
      await untilStatus(client, await startSnapshot(client, at), 'awaiting_confirmation');
    });
    await openPart(page, 'Copy options of held');
    await form(page, 'held').getByLabel('Schedule', { exact: true }).selectOption('clock');
    await openPart(page, 'Resources');
    await page.getByRole('row').filter({ hasText: 'shop.orders' }).getByText('Choose options').click();
    const fresh = form(page, 'shop.orders');
    await fresh.getByLabel('Mode').selectOption('incremental');
    await fresh.getByLabel('Cursor column').selectOption('changed_at');
    await fresh.getByLabel('id', { exact: true }).uncheck();
    await fresh.getByRole('button', { name: 'Add dataset' }).click();
    await fresh.locator('fieldset[aria-invalid]:focus .fault').waitFor();
    await inspect(page, 'dataset-new');
    await openPart(page, 'Datasets');
    await page.getByText('The table has 100 rows').first().waitFor();
    await page.getByRole('heading', { level: 1 }).scrollIntoViewIfNeeded();
    await inspect(page, 'datasets');
  });
});
