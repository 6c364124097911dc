import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { inspect } from '../api/pages/in-browser/inspect.ts';
import { expectTitle } from '../api/pages/in-browser/lab.ts';
import { describeInChromium } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { attachedTable } from '../support/runs.ts';
import { writtenPlaybook } from '../support/schedules.ts';
import { useWorker } from '../support/worker.ts';
import { graphOf, node } from '../support/workflows.ts';
import { useWorkspace } from '../support/workspace.ts';
import { chooseMore, hasRun, hostile, openPart, useConsole } from './opened.ts';

const room = { path: '/console/workflows', title: 'Workflows' };

const sales = graphOf(
  [
    node('sales', 'query', { sql: 'SELECT 41 + 1 AS total' }, { name: 'Sales' }),
    node('enough', 'condition', { sql: 'SELECT total > 1000 FROM input' }, { name: 'Enough?' }),
    node('tell', 'email_delivery', { to: ['ada@example.com'], subject: 'Sales' }, { name: 'Tell' }),
    node('other', 'wait', { seconds: 1 }, { name: 'Other_of_a_very_long_name_that_nobody_would_type' }),
  ],
  [
    ['sales.rows', 'enough.input'],
    ['enough.yes', 'tell.start'],
    ['sales.rows', 'tell.input'],
    ['enough.no', 'other.start'],
  ],
  { since: { type: 'date', required: true } },
);

describeInChromium('workflows in the console', () => {
  const workspace = useWorkspace();
  useWorker(workspace);
  const { lab, opened, project } = useConsole(workspace);

  /** A workflow belongs to who made it: the person who is signed in there. */
  async function personOf(page: Page) {
    const { accessToken } = await page.evaluate(
      () => JSON.parse(sessionStorage.getItem('login')!) as { accessToken: string },
    );
    return { authorization: `Bearer ${accessToken}` };
  }
  async function drafted(page: Page, change: object) {
    const headers = await personOf(page);
    const projects = await lab.workspace.call('GET', '/v1/projects', { headers });
    const body = {
      project_id: projects.body.items[0].id,
      title: 'Sales',
      ...change,
    };
    const made = await lab.workspace.call('POST', '/v1/workflows', { headers, body });
    expect(made.status, made.text).toBe(201);
    return made.body.data.id as string;
  }

  const inConfig = (page: Page) => page.getByRole('group', { name: 'Config' });
  const inNodes = (page: Page) => page.getByRole('region', { name: 'Nodes' });
  /** Fills in the fields of the chosen node's config. */
  async function configure(page: Page, config: Record<string, string>) {
    for (const [label, value] of Object.entries(config))
      await inConfig(page).getByLabel(label, { exact: true }).fill(value);
  }
  async function deleteNode(page: Page, name: string) {
    await inNodes(page)
      .getByRole('button', { name: `Delete ${name}` })
      .click();
    const sure = page.getByRole('dialog', { name: `Delete the node “${name}”?` });
    await sure.getByRole('button', { name: 'Delete' }).click();
  }
  async function add(page: Page, type: string, config: Record<string, string>) {
    await page.getByLabel('Type of new node').selectOption(type);
    await page.getByRole('button', { name: 'Add node' }).click();
    await configure(page, config);
  }
  async function connect(page: Page, from: string, to: string) {
    await page.getByLabel('From output').selectOption(from);
    await page.getByLabel('To input').selectOption(to);
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByText(`${from} → ${to}`).waitFor();
  }

  test('one is drawn by the keyboard, checked, activated, run, approved, and sent again', async () => {
    const { page, faults, elsewhere } = await opened(project, room);
    await page.getByText('You have no workflows yet.').waitFor();
    await page.getByText('New workflow').click();
    await page.getByLabel('Workflow title').fill('Sales alert');
    await page.getByRole('button', { name: 'Create workflow' }).click();
    await expectTitle(page, 'Sales alert');
    await add(page, 'query', { 'SQL (required)': 'SELEC' });
    await page.getByText('Saved as revision 2.').waitFor();
    await page.getByRole('region', { name: 'Check' }).getByText('config.sql').waitFor();
    await inNodes(page).getByText('1 problem').waitFor();
    await inConfig(page).locator('.fault').waitFor();
    await configure(page, { 'SQL (required)': 'SELECT 42\n  AS total' });
    await page.getByLabel('Name', { exact: true }).fill('Sales');
    await page.getByText('The draft has no problems.').waitFor();

    await add(page, 'approval', { 'Message (required)': 'Send them?' });
    await add(page, 'email_delivery', { 'To (required)': 'ada@example.com', 'Subject (required)': 'Sales' });
    await connect(page, 'query.done', 'approval.start');
    await connect(page, 'approval.approved', 'email_delivery.start');
    await connect(page, 'query.rows', 'email_delivery.input');
    await page.getByRole('button', { name: 'Activate' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await openPart(page, 'Runs');
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByText('Send them?', { exact: true }).waitFor();
    const drawn = page.getByRole('region', { name: 'Graph' });
    await openPart(page, 'Graph');
    await drawn.getByText('succeeded').waitFor();
    await openPart(page, 'Runs');
    await page.getByRole('button', { name: 'Allow' }).click();
    // There is no mail server here.
    const deliveries = page.getByRole('table', { name: 'Deliveries' });
    await deliveries.getByText('failed').waitFor();
    await page.getByRole('button', { name: 'Continue from the failed step' }).waitFor();
    await openPart(page, 'Graph');
    await drawn.getByText('failed').waitFor();
    await openPart(page, 'Runs');
    const [answer] = await Promise.all([
      page.waitForResponse(/\/deliveries\/dlv_\w+\/retry$/),
      deliveries.getByRole('button', { name: 'Deliver again' }).click(),
    ]);
    expect(answer.status()).toBe(202);

    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume' }).click();
    await openPart(page, 'Graph');
    await inNodes(page).getByRole('button', { name: 'Delete Approval' }).click();
    const sure = page.getByRole('dialog', { name: 'Delete the node “Approval”?' });
    await sure.getByRole('button', { name: 'Cancel' }).click();
    await deleteNode(page, 'Approval');
    await page.getByText('approval.approved → email_delivery.start').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Activate', exact: true }).first().click();
    const versions = page.getByRole('table', { name: 'Versions' });
    await openPart(page, 'Versions');
    await versions.getByText('removed approval').waitFor();
    await versions.getByRole('button', { name: 'Activate' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Activate' }).click();
    await versions.getByRole('row', { name: /^1 / }).getByText('active').waitFor();
    await chooseMore(page, 'Archive');
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
    await page.getByText('This workflow is archived. You can only read it.').waitFor();
    await page.reload();
    await expectTitle(page, 'Sales alert');
    await openPart(page, 'Graph');
    await inNodes(page).getByText('Sales').waitFor();
    expect(await page.getByRole('button', { name: 'Add node' }).count()).toBe(0);
    expect([faults, elsewhere]).toEqual([[], []]);
  });

  test('each member of a config has the control that fits it', async () => {
    let tableId = '';
    const { page, faults } = await opened(async (client) => {
      const projectId = await project(client);
      tableId = await attachedTable(client, projectId, 'orders', [{ s_id: 1, city: 'Porto' }]);
      await writtenPlaybook(client, projectId);
    }, room);
    const nodes = [
      node('write', 'playbook', {}, { name: 'Write' }),
      node('tell', 'webhook_delivery', { url: 'https://example.com/', secret: 'a-secret-of-the-shop' }),
      node('test', 'verification', { table_ids: ['tbl_gone'] }, { name: 'Test' }),
      node('wait', 'wait', { seconds: 5, unheard: { of: 1 } }, { name: 'Wait' }),
    ];
    const triggers = [{ type: 'data_event', config: { table_ids: [tableId] } }];
    const id = await drafted(page, { graph: graphOf(nodes), triggers });
    await page.goto(`/console/workflows/${id}`);
    await openPart(page, 'Triggers');
    await page.getByRole('table', { name: 'Triggers' }).getByText('orders', { exact: true }).waitFor();
    await openPart(page, 'Graph');
    const edit = (name: string) =>
      inNodes(page)
        .getByRole('button', { name: `Edit ${name}` })
        .click();
    const field = (label: string) => inConfig(page).getByLabel(label, { exact: true });
    const stored = async () => {
      const headers = await personOf(page);
      const found = await lab.workspace.call('GET', `/v1/workflows/${id}`, { headers });
      return found.body.data.graph.nodes.map((one: { config: object }) => one.config);
    };
    await edit('Write');
    await field('Playbook (required)').selectOption('Orders');
    await field('Parameter values, as JSON').fill('{');
    await inConfig(page).getByText("This isn't valid JSON").waitFor();
    await page.getByText("Not saved: a field isn't valid JSON.").waitFor();
    expect(await page.getByRole('button', { name: 'Activate' }).isDisabled()).toBe(true);
    await field('Parameter values, as JSON').fill('{"city": "Porto"}');
    await edit('The tell');
    const secret = field('Secret (required)');
    expect([await secret.getAttribute('type'), await secret.inputValue()]).toEqual(['password', '']);
    await field('URL (required)').fill('https://example.com/hook');
    await edit('Test');
    await field('orders').check();
    await field('tbl_gone').uncheck();
    await edit('Wait');
    expect(await field('unheard, as JSON').inputValue()).toContain('"of": 1');
    await field('Seconds to wait').fill('60');
    await eventually(
      async () => (await stored())[3].seconds,
      (seconds) => seconds === 60,
    );
    expect(await stored()).toEqual([
      { playbook_id: expect.any(String), params: { city: 'Porto' } },
      { url: 'https://example.com/hook', secret: '********' },
      { table_ids: [expect.any(String)] },
      { seconds: 60, unheard: { of: 1 } },
    ]);
    await page.getByText(/^Saved as revision/).waitFor();
    await inspect(page, 'workflow-config');
    expect(faults).toEqual([]);
  });

  test('nodes are chosen and connected by the pointer', async () => {
    const { page } = await opened(project, room);
    const nodes = [node('first', 'query', { sql: 'SELECT 1' }), node('second', 'wait', { seconds: 1 })];
    const id = await drafted(page, { graph: graphOf(nodes) });
    await page.goto(`/console/workflows/${id}`);
    const drawn = page.getByRole('region', { name: 'Graph' });
    const handle = (of: string, port: string) => drawn.locator(`[data-id="${of}"] [data-handleid="${port}"]`);
    await drawn.getByText('The first').click();
    await page.getByRole('heading', { name: 'Node The first' }).waitFor();
    await handle('first', 'done').dragTo(handle('second', 'start'));
    await page.getByText('first.done → second.start').waitFor();
    await page.getByText('Saved as revision 2.').waitFor();
    await page.reload();
    await page.getByText('first.done → second.start').waitFor();
  });

  test('a draft that was changed elsewhere is not overwritten, and what was there is kept', async () => {
    const { page } = await opened(project, room);
    const triggers = [
      { type: 'webhook', label: 'Shop' },
      {
        type: 'schedule',
        params: { since: '2026-11-01' },
        schedule: { type: 'daily', zone_id: 'UTC', time_of_day: '08:00' },
      },
    ];
    const id = await drafted(page, { graph: sales, triggers });
    await page.goto(`/console/workflows/${id}`);
    await expectTitle(page, 'Sales');
    const other = await page.context().newPage();
    await other.addInitScript((login) => sessionStorage.setItem('login', login), await login(page));
    await other.goto(`/console/workflows/${id}`);
    await openPart(other, 'Settings');
    await other.getByLabel('Title', { exact: true }).fill('Newest');
    await other.getByText('Saved as revision 2.').waitFor();
    const kept = other.getByRole('table', { name: 'Triggers' });
    await openPart(other, 'Triggers');
    await kept.getByText('every day at 08:00 (UTC)').waitFor();
    await kept.getByText('/v1/hooks/').waitFor();
    await other.close();

    await deleteNode(page, 'Tell');
    await page.getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Discard my changes and load the stored version' }).click();
    await expectTitle(page, 'Newest');
    await inNodes(page).getByRole('button', { name: 'Edit Tell' }).waitFor();
  });

  const login = (page: Page) => page.evaluate(() => sessionStorage.getItem('login')!);

  test('triggers are added, switched off and removed, and a node gets attempts and a time limit', async () => {
    const { page, faults } = await opened(project, room);
    const id = await drafted(page, { graph: sales });
    await page.goto(`/console/workflows/${id}`);
    await openPart(page, 'Triggers');
    await page.getByText('There are no triggers. A person starts each run.').waitFor();
    const starts = page.getByRole('table', { name: 'Triggers' });
    const addTrigger = () => page.getByText('Add trigger').click();
    const addIt = () => page.getByRole('button', { name: 'Create trigger' }).click();
    await addTrigger();
    await page.getByLabel('Time of day').fill('');
    await addIt();
    await page.locator('.fault').filter({ visible: true }).first().waitFor();
    await page.getByLabel('Time of day').fill('07:30');
    await page.getByLabel('Label', { exact: true }).fill(hostile[0]!);
    await page.getByLabel('since (required)').last().fill('2026-11-01');
    await addIt();
    await starts.getByText('at 07:30').waitFor();
    await starts.getByText(hostile[0]!).waitFor();
    await addTrigger();
    await page.getByLabel('Trigger', { exact: true }).selectOption('by a webhook');
    await addIt();
    const secret = page.getByLabel('Signing secret');
    await secret.waitFor();
    const first = await secret.inputValue();
    expect(first).toMatch(/^whsec_/);
    await page.getByRole('button', { name: 'Close' }).click();
    await starts.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
    await secret.waitFor();
    const second = await secret.inputValue();
    expect(second).toMatch(/^whsec_/);
    expect(second).not.toBe(first);
    await page.getByRole('button', { name: 'Close' }).click();
    await starts.getByText('/v1/hooks/').waitFor();
    await addTrigger();
    await page.getByLabel('Trigger', { exact: true }).selectOption('on new data');
    await page.getByText('No tables are attached to this project.').waitFor();
    await addIt();
    await page.locator('.fault').filter({ visible: true }).first().waitFor();
    await starts.getByRole('button', { name: 'Disable' }).first().click();
    await starts.getByRole('button', { name: 'Enable' }).waitFor();
    await starts.getByRole('button', { name: 'Remove' }).last().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await starts.getByText('/v1/hooks/').waitFor({ state: 'detached' });
    await openPart(page, 'Graph');
    await inNodes(page).getByRole('button', { name: 'Edit Sales' }).click();
    await page.getByLabel('Attempts').fill('3');
    await page.getByLabel('Time limit').fill('90');
    await page.getByText(/^Saved as revision/).waitFor();
    await page.reload();
    await openPart(page, 'Triggers');
    await starts.getByText('at 07:30').waitFor();
    await openPart(page, 'Graph');
    await inNodes(page).getByRole('button', { name: 'Edit Sales' }).click();
    expect([
      await page.getByLabel('Attempts').inputValue(),
      await page.getByLabel('Time limit').inputValue(),
    ]).toEqual(['3', '90']);
    expect([await hasRun(page), faults]).toEqual([false, []]);
  });

  test('an API that fails is told, and asked again; what people wrote is text', async () => {
    const { page, faults } = await opened(project, room);
    const [title, name, message] = hostile as [string, string, string];
    const nodes = [node('ask', 'approval', { message }, { name }), node('bad', message, {}, { name: title })];
    const id = await drafted(page, { title, graph: graphOf(nodes, [['ask.nowhere', 'bad.start']]) });
    let isBroken = true;
    await page.route(`**/v1/workflows/${id}*`, (route) =>
      isBroken ? route.fulfill({ status: 422, json: { code: 'conflict', detail: title } }) : route.continue(),
    );
    await page.reload();
    await page.getByRole('link', { name: title }).click();
    await page.getByRole('alert').getByText(title).waitFor();
    isBroken = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await expectTitle(page, title);
    const drawn = page.getByRole('region', { name: 'Graph' });
    await drawn.getByText(name).waitFor();
    await drawn.getByText(title).waitFor();
    await page.getByRole('region', { name: 'Check' }).getByText('There is no node type').waitFor();
    isBroken = true;
    await openPart(page, 'Settings');
    await page.getByLabel('Description', { exact: true }).fill('Changed');
    await page.getByRole('alert').getByText(title).waitFor();
    isBroken = false;
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByText('Saved as revision 2.').waitFor();
    expect([await hasRun(page), faults]).toEqual([false, []]);
  });

  test('the pages are accessible in light and dark colours, and fit a narrow window', async () => {
    const { page } = await opened(project, { ...room });
    const id = await drafted(page, { graph: sales });
    await page.reload();
    await page.getByRole('link', { name: 'Sales' }).waitFor();
    await inspect(page, 'workflows');
    await page.goto(`/console/workflows/${id}`);
    await page.getByRole('button', { name: 'Activate' }).click();
    await openPart(page, 'Runs');
    await page.getByLabel('since (required)').fill('2026-11-01');
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByRole('region', { name: 'Run' }).getByText('skipped').waitFor();
    await inspect(page, 'workflow-runs');
    await openPart(page, 'Graph');
    await inNodes(page).getByRole('button', { name: 'Edit Enough?' }).click();
    await configure(page, { 'SQL (required)': '' });
    await inNodes(page).getByText('1 problem').waitFor();
    await page.getByText('Config fields of this type').click();
    await page.getByRole('heading', { level: 1 }).scrollIntoViewIfNeeded();
    await inspect(page, 'workflow');
    await page.getByRole('region', { name: 'Connections' }).scrollIntoViewIfNeeded();
    await inspect(page, 'workflow-connections');
    await openPart(page, 'Versions');
    await page.getByRole('table', { name: 'Versions' }).waitFor();
    await inspect(page, 'workflow-versions');
    await openPart(page, 'Settings');
    await inspect(page, 'workflow-settings');
    await openPart(page, 'Triggers');
    await page.getByText('Add trigger').click();
    await page.getByLabel('Trigger', { exact: true }).selectOption('on new data');
    await inspect(page, 'workflow-trigger');
  });
});
