import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { inspect } from '../api/pages/in-browser/inspect.ts';
import { expectTitle } from '../api/pages/in-browser/lab.ts';
import { describeInChromium } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { recordPolicy, recordSource } from '../support/replication-source.ts';
import { rowsOf } from '../support/snapshots.ts';
import { connect } from '../support/sources.ts';
import { useWorker } from '../support/worker.ts';
import { useOwnWorkspace } from '../support/workspace.ts';
import { hasRun, hostile, openPart, useConsole } from './opened.ts';

const workspace = useOwnWorkspace({ trustedProxies: ['127.0.0.1'] }, () => ({
  ALLOWED_PRIVATE_ADDRESSES: '127.0.0.0/8',
  ALLOW_UNVALIDATED_ADDRESSES: 'true',
}));
useWorker(workspace);

const nameOf = ({ name }: { name: string }) => name;

describeInChromium('HTTP replication', () => {
  const { opened, project } = useConsole(workspace);

  /** The page of a connection to a source of two records, with this policy. */
  async function connected(policy: object | null, token?: string) {
    const source = await recordSource([
      { id: 1, at: '2026-03-01T00:00:00Z', name: hostile[0] },
      { id: 2, at: '2026-03-02T00:00:00Z', name: 'two' },
    ]);
    let connection = '';
    const found = await opened(async (client) => {
      await project(client);
      connection = await connect(
        client,
        'http',
        { base_url: source.base, auth_type: token === undefined ? 'none' : 'bearer' },
        {
          snapshot_config: { enabled: true, http_replication: policy },
          ...(token === undefined ? {} : { secrets: { token } }),
        },
      );
    });
    const { name } = (await found.client.call('GET', connection)).body.data;
    await found.page.goto(`/console/connections/${connection.split('/').at(-1)}`);
    await expectTitle(found.page, name);
    await openPart(found.page, 'HTTP replication');
    const form = found.page.getByRole('form', { name: 'HTTP replication' });
    const stored = async () => (await found.client.call('GET', connection)).body.data.snapshotConfig;
    return {
      ...found,
      form,
      stored,
      connection,
      save: form.getByRole('button', { name: 'Save replication' }),
    };
  }

  const copyRecords = async (page: Page) => {
    await openPart(page, 'Resources');
    const records = page
      .getByRole('table', { name: 'Resources' })
      .getByRole('row')
      .filter({ hasText: '/records' });
    await records.getByRole('button', { name: 'Start copying' }).click();
    await records.getByRole('button', { name: 'Copy now' }).click();
    return records;
  };

  test('how a source is read is written as a form, told what is wrong with it, and copied so', async () => {
    const { page, client, form, save, stored, faults } = await connected(null);
    await form.getByText('There are no resources yet.').waitFor();
    await form.getByRole('button', { name: 'Add resource' }).click();
    await form.getByLabel('Path').fill('/records');
    const write = async (title: string, number: number, name: string, value: string) => {
      await form.getByLabel(`${title}, name ${number}`, { exact: true }).fill(name);
      await form.getByLabel(`${title}, value ${number}`, { exact: true }).fill(value);
    };
    await write('Query parameters', 1, 'since', '${cursor}');
    await write('Query parameters', 2, 'after', '${tie_breaker}');
    await write('Field mappings', 1, 'name', 'label');
    await form.getByLabel('Mode').selectOption('next_link');
    await form.getByLabel('Records pointer').fill('/items');
    await form.getByLabel('Page size').fill('1');
    await form.getByLabel('Size parameter').fill('limit');
    await form.getByLabel('Concurrent requests').fill('1');
    await save.click();
    await form.locator('fieldset:focus').getByText('${cursor} has no value').waitFor();
    await form.getByText('Pagination by next_link needs next_pointer').waitFor();
    expect(await stored()).toEqual({ enabled: true, httpReplication: null });
    await form.getByLabel('Next page pointer').fill('/links/next');
    await form.getByLabel('Field', { exact: true }).fill('at');
    await form.getByLabel('Format', { exact: true }).selectOption('iso8601');
    await form.getByLabel('Tie breaker', { exact: true }).fill('id');
    await form.getByLabel('Tie breaker format').selectOption('integer');
    await save.click();
    await form.getByText('Saved.').waitFor();
    expect(await stored()).toEqual({
      enabled: true,
      httpReplication: {
        limits: { max_concurrency: 1 },
        resources: [
          {
            request_path: '/records',
            query_parameters: { since: '${cursor}', after: '${tie_breaker}' },
            field_mappings: { name: 'label' },
            cursor: {
              field: 'at',
              format: 'iso8601',
              tie_breaker_field: 'id',
              tie_breaker_format: 'integer',
            },
            pagination: {
              ...{ mode: 'next_link', data_pointer: '/items', next_pointer: '/links/next' },
              ...{ page_size: 1, page_size_parameter: 'limit' },
            },
          },
        ],
      },
    });
    await (await copyRecords(page)).getByText('Copy: succeeded').waitFor();
    expect(await rowsOf(client, 'SELECT label FROM records ORDER BY id')).toEqual([
      { label: hostile[0] },
      { label: 'two' },
    ]);
    expect([await hasRun(page), faults]).toEqual([false, []]);
  });

  test('what is stored is shown and changed, and outlives a failure to store it', async () => {
    const policy = recordPolicy({ field_mappings: { name: hostile[1]! } }, { requests_per_second: 5 });
    const { page, form, save, stored, faults } = await connected(policy);
    expect(await form.getByLabel('Field mappings, value 1').inputValue()).toBe(hostile[1]);
    expect(await form.getByLabel('Requests per second').inputValue()).toBe('5');
    await form.getByRole('checkbox').uncheck();
    await save.click();
    await form.getByText('Saved.').waitFor();
    expect(await stored()).toEqual({ enabled: false, httpReplication: policy });
    await form.getByLabel('Requests per second').fill('');
    await form.getByLabel('Query parameters, name 3', { exact: true }).fill('since');
    await form.getByText('since appears twice').waitFor();
    await form.getByLabel('Query parameters, name 3', { exact: true }).fill('sort');
    const name = form.getByLabel('Query parameters, name 2', { exact: true });
    await name.fill('');
    await form.locator('input[placeholder="name"]:invalid').waitFor();
    await form.getByLabel('Query parameters, value 2', { exact: true }).fill('');
    await page.route('**/v1/connections/data/*', (route) =>
      route.request().method() === 'PATCH'
        ? route.fulfill({ status: 409, json: { code: 'conflict', detail: 'It is not stored.' } })
        : route.continue(),
    );
    await save.click();
    await form.getByText('It is not stored.').waitFor();
    await page.unrouteAll();
    await save.click();
    await form.getByText('Saved.').waitFor();
    const { limits: _, ...others } = policy;
    const [resource] = policy.resources;
    expect(await stored()).toEqual({
      enabled: false,
      httpReplication: {
        ...others,
        resources: [{ ...resource, query_parameters: { since: '${cursor}', sort: '' } }],
      },
    });
    await form.getByRole('button', { name: 'Remove resource 1' }).click();
    await save.click();
    await form.getByText('There are no resources yet.').waitFor();
    await form.getByText('Saved.').waitFor();
    expect((await stored()).httpReplication.resources).toEqual([]);
    expect([await hasRun(page), faults]).toEqual([false, []]);
  });

  test('what somebody else set off meanwhile is not set on again', async () => {
    const policy = recordPolicy({}, { requests_per_second: 5 });
    const { page, client, connection, form, save, stored } = await connected(policy);
    const body = { snapshot_config: { enabled: false } };
    expect((await client.call('PATCH', connection, { body })).status).toBe(200);
    await eventually(
      async () => {
        await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
        return form.getByRole('checkbox').isChecked();
      },
      (isChecked) => !isChecked,
    );
    await form.getByLabel('Requests per second').fill('4');
    await save.click();
    await form.getByText('Saved.').waitFor();
    expect(await stored()).toMatchObject({
      enabled: false,
      httpReplication: { limits: { requests_per_second: 4 } },
    });
  });

  test('a secret is asked for again where it would be sent less safely', async () => {
    const { form, save, stored, faults } = await connected(recordPolicy(), 'a-secret-token');
    await form.getByLabel('Private addresses').selectOption('false');
    await save.click();
    await form.getByText('Bearer token was set for another').waitFor();
    await form.locator('input[type="password"]:focus').waitFor();
    const token = form.getByLabel('Bearer token', { exact: true });
    await token.fill('a-secret-token');
    await save.click();
    await form.getByText('Saved.').waitFor();
    await token.waitFor({ state: 'detached' });
    expect((await stored()).httpReplication.validate_server_address).toBe(false);
    expect(faults).toEqual([]);
  });

  test('a copy that has to wait says for what, and is stopped', async () => {
    const { page, client } = await connected(recordPolicy({}, { requests_per_day: 1 }));
    const records = await copyRecords(page);
    await openPart(page, 'Datasets');
    await openPart(page, /^Copies/);
    await page.getByText('Waiting for the limits of the connection until').waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await openPart(page, 'Resources');
    await records.getByText('Copy: cancelled').waitFor();
    await openPart(page, 'Datasets');
    await page.getByText('Waiting for the limits').waitFor({ state: 'detached' });
    expect((await client.call('GET', '/v1/tables')).body.tables.map(nameOf)).not.toContain('records');
  });

  test('its form is accessible in light and dark colours, and fits a narrow window', async () => {
    const { page, form } = await connected(recordPolicy());
    await form.getByLabel('Path').waitFor();
    await inspect(page, 'http-replication');
  });
});
