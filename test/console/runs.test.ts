import { expect, test } from 'vitest';
import { inOrganization } from '../../data/postgres/client.ts';
import { insertRun, moveRun } from '../../domain/workspace/runs/runs.ts';
import { inspect } from '../api/pages/in-browser/inspect.ts';
import { expectTitle } from '../api/pages/in-browser/lab.ts';
import { describeInChromium } from '../support/chromium.ts';
import { endedRun } from '../support/runs.ts';
import { useWorker } from '../support/worker.ts';
import { graphOf, node, workflowsOf } from '../support/workflows.ts';
import { type TestClient, useWorkspace } from '../support/workspace.ts';
import { hasRun, hostile, useConsole } from './opened.ts';

const workspace = useWorkspace();
useWorker(workspace);

describeInChromium('runs', () => {
  const { opened, project, table } = useConsole(workspace);

  async function imported(client: TestClient, projectId: string, name: string, content: string) {
    const path = `/v1/projects/${projectId}/files`;
    const file = await client.call('PUT', `${path}/content?path=${name}.csv`, { body: { content } });
    const body = { table_name: name };
    const started = await client.call('POST', `${path}/${file.body.data.id}/imports`, { body });
    expect(started.status, started.text).toBe(202);
    return endedRun(client, projectId, started.body.data.id);
  }

  /** A run without a process, as a feature would add it. */
  async function added({ organizationId }: TestClient, projectId: string, id: string, title: string) {
    const place = { organization_id: organizationId, id };
    const run = await inOrganization(workspace.deps.db, organizationId, (db) =>
      insertRun(db, {
        ...place,
        project_id: projectId,
        kind: 'playbook',
        trigger_type: 'schedule',
        trigger_id: 'sch_1',
        title,
        resource_type: 'playbook',
        resource_id: 'pbk_1',
        workflow_id: `agent-run/${id}`,
      }),
    );
    return {
      move: (...how: [from: 'queued' | 'running', to: 'running' | 'cancelled', change?: object]) =>
        inOrganization(workspace.deps.db, organizationId, (db) => moveRun(db, place, ...how)),
      run,
    };
  }

  test('from the list, by kind and status, to a run, its steps and what it made', async () => {
    let projectId = '';
    const { page, client, faults, elsewhere } = await opened(async (client) => {
      projectId = await project(client);
    });
    await page.getByRole('link', { name: 'Activity' }).click();
    await page.getByText('This project has no runs yet.').waitFor();
    // What begins meanwhile is shown by itself.
    const { id, workflowId } = await imported(client, projectId, 'cities', 'a\n1\n2\n');
    await imported(client, projectId, 'bad', '');
    const good = page.getByRole('link', { name: 'Import of cities.csv into cities' });
    const bad = page.getByRole('link', { name: 'Import of bad.csv into bad' });
    await good.waitFor();
    await page.getByLabel('Status').selectOption('failed');
    await good.waitFor({ state: 'detached' });
    await bad.click();
    await page.getByRole('heading', { name: 'The run failed' }).waitFor();
    await page.getByText('Read the file').waitFor();
    await page.goBack();
    await bad.waitFor();
    expect(new URL(page.url()).search).toBe('?status=failed');
    await page.getByLabel('Kind').selectOption('export');
    await page.getByText('This project has no runs yet.').waitFor();
    expect(new URL(page.url()).search).toBe('?kind=export&status=failed');
    await page.getByLabel('Kind').selectOption('import');
    await page.getByLabel('Status').selectOption('succeeded');
    await good.click();
    await page.getByText(workflowId).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console/projects/${projectId}/runs/${id}`);
    await page.getByText('Rows imported: 2').waitFor();
    expect(await page.getByRole('button', { name: 'Cancel run' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Table cities' }).click();
    await expectTitle(page, 'cities');
    expect([faults, elsewhere]).toEqual([[], []]);
  });

  test('a run under way shows how far it is, and why it does not go on; it can be cancelled', async () => {
    let projectId = '';
    const { page, client, faults } = await opened(async (client) => {
      projectId = await project(client);
    });
    const { move } = await added(client, projectId, 'run_1', 'Weekly sales');
    let isStuck = false;
    await page.route('**/v1/**/runs/run_1', async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      const since = new Date().toISOString();
      if (isStuck)
        json.data.problem = { code: 'process_failing', message: 'Its release has to finish it.', since };
      await route.fulfill({ response, json });
    });
    await page.goto(`/console/projects/${projectId}/runs/run_1`);
    await page.getByText('No step has started yet.').waitFor();
    await page.getByText('queued').waitFor();
    await move('queued', 'running', { progress: 0.4 });
    await page.getByText('40 %').waitFor();
    isStuck = true;
    await page.getByText('Its release has to finish it.').waitFor();
    isStuck = false;
    await page.getByText('Its release has to finish it.').waitFor({ state: 'detached' });
    const cancel = page.getByRole('button', { name: 'Cancel run' });
    await cancel.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await client.call('GET', `/v1/projects/${projectId}/runs/run_1`)).body.data.status).toBe(
      'running',
    );
    await cancel.click();
    const [asked] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith('/cancel?confirm=true')),
      page.getByRole('dialog').getByRole('button', { name: 'Cancel run' }).click(),
    ]);
    expect(asked.status()).toBe(202);
    await move('running', 'cancelled');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await cancel.waitFor({ state: 'detached' });
    await page.getByText('cancelled').waitFor();
    expect(faults).toEqual([]);
  });

  test('a run of a workflow that failed goes on where the cause is mended', async () => {
    let projectId = '';
    const { page, client } = await opened(async (client) => {
      projectId = await project(client);
    });
    // A workflow, and what it runs, are seen by whoever made it.
    const { accessToken } = await page.evaluate(() => JSON.parse(sessionStorage.getItem('login') ?? '{}'));
    const mine: TestClient = {
      ...client,
      call: (method, url, options) =>
        workspace.call(method, url, { ...options, headers: { authorization: `Bearer ${accessToken}` } }),
    };
    const workflows = workflowsOf(mine, () => projectId);
    const tableId = await table(client, 'orders', [{ city: 'Porto', amount: 1 }]);
    const { id } = await workflows.active(
      graphOf([node('read', 'query', { sql: 'SELECT CAST(city AS INTEGER) AS n FROM orders' })]),
    );
    const run = await workflows.ran(id);
    expect(run.status).toBe('failed');
    const mended = { rows: [{ s_id: 1, city: '7', amount: 1 }] };
    expect((await client.call('PUT', `/v1/tables/${tableId}/rows`, { body: mended })).status).toBe(200);
    await page.goto(`/console/projects/${projectId}/runs/${run.id}`);
    await page.getByRole('heading', { name: 'The run failed' }).waitFor();
    await page.getByRole('button', { name: 'Resume with the newest data' }).click();
    await page.getByRole('definition').filter({ hasText: 'succeeded' }).waitFor({ timeout: 180_000 });
    expect(await page.getByRole('button', { name: 'Resume' }).count()).toBe(0);
  });

  test('the files of an export are offered', async () => {
    let at = '';
    const { page } = await opened(async (client) => {
      const projectId = await project(client);
      const tableId = await table(client, 'orders', [{ city: 'Porto', amount: 1 }]);
      const body = { table_id: tableId, format: 'csv', project_id: projectId, path: 'out/orders.csv' };
      const asked = await client.call('POST', '/v1/exports', { body });
      expect(asked.status, asked.text).toBe(202);
      await endedRun(client, projectId, asked.body.data.id);
      at = `/console/projects/${projectId}/runs/${asked.body.data.id}`;
    });
    await page.goto(at);
    const link = page.getByRole('list', { name: 'Files' }).getByRole('link');
    const address = await link.getAttribute('href');
    expect(await (await fetch(address!)).text()).toContain('Porto');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download file' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('orders.csv');
  });

  test('an API that fails is told and asked again, and titles are text', async () => {
    let projectId = '';
    const { page, client, faults } = await opened(async (client) => {
      projectId = await project(client);
    });
    await added(client, projectId, 'run_1', hostile[0]!);
    let isBroken = true;
    await page.route('**/v1/projects/*/runs**', (route) =>
      isBroken
        ? route.fulfill({ status: 422, json: { code: 'conflict', detail: 'Broken for a test.' } })
        : route.continue(),
    );
    await page.goto(`/console/projects/${projectId}/runs`);
    await page.getByText('Broken for a test.').waitFor();
    isBroken = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: hostile[0]! }).click();
    await expectTitle(page, hostile[0]!);
    expect([await hasRun(page), faults]).toEqual([false, []]);
  });

  test('its pages are accessible in light and dark colours, and fit a narrow window', async () => {
    let projectId = '';
    const { page, client } = await opened(async (client) => {
      projectId = await project(client);
    });
    const { id } = await imported(client, projectId, 'cities', 'a\n1\n2\n');
    const failed = await imported(client, projectId, 'bad', '');
    const { move } = await added(client, projectId, 'run_1', 'Weekly sales');
    await move('queued', 'running', { progress: 0.4 });
    await page.route('**/v1/**/runs/run_1', async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      const message = 'The process of the run fails (NonDeterministicError) and does not go on.';
      json.data.problem = { code: 'process_failing', message, since: new Date().toISOString() };
      await route.fulfill({ response, json });
    });
    await page.goto(`/console/projects/${projectId}/runs`);
    await page.getByRole('link', { name: 'Weekly sales' }).waitFor();
    await inspect(page, 'runs');
    await page.goto(`/console/projects/${projectId}/runs/run_1`);
    await page.getByText('NonDeterministicError').waitFor();
    await inspect(page, 'run-stuck');
    await page.goto(`/console/projects/${projectId}/runs/${failed.id}`);
    await page.getByRole('heading', { name: 'The run failed' }).waitFor();
    await inspect(page, 'run-failed');
    await page.goto(`/console/projects/${projectId}/runs/${id}`);
    await page.getByText('Rows imported: 2').waitFor();
    const process = page.getByRole('link', { name: `table-import/${id}` });
    expect(await process.getAttribute('href')).toBe(
      `http://temporal-ui.test/namespaces/default/workflows/table-import%2F${id}`,
    );
    await inspect(page, 'run');
  });
});
