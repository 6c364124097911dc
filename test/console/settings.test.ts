import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { inspect } from '../api/pages/in-browser/inspect.ts';
import { expectTitle, password } from '../api/pages/in-browser/lab.ts';
import { describeInChromium } from '../support/chromium.ts';
import { expectEventually } from '../support/eventually.ts';
import { personOf } from '../support/people.ts';
import { madeSchedule, writtenPlaybook } from '../support/schedules.ts';
import { graphOf, node, workflowsOf } from '../support/workflows.ts';
import type { TestClient } from '../support/workspace.ts';
import { useOwnWorkspace } from '../support/workspace.ts';
import { chooseMore, hasRun, hostile, openPart, script, useConsole } from './opened.ts';

const adminsOnly = 'Only administrators and owners can see this.';

describeInChromium('settings', () => {
  const { lab, opened, project } = useConsole(useOwnWorkspace({ trustedProxies: ['127.0.0.1'] }));

  const part = (page: Page, title: string) =>
    page
      .locator('section.settings')
      .filter({ has: page.getByRole('heading', { level: 2, name: title, exact: true }) });
  /** Goes to one of the pages. */
  const go = async (page: Page, title: string) => {
    await page
      .getByRole('navigation', { name: 'Settings' })
      .getByRole('link', { name: title, exact: true })
      .click();
    await part(page, title).waitFor();
  };
  const rowOf = (page: Page, title: string, text: string) =>
    part(page, title).getByRole('row').filter({ hasText: text });
  const confirm = (page: Page, name: string) =>
    page.getByRole('dialog').getByRole('button', { name, exact: true }).click();

  /** The client may sign in, or may not. */
  const exchange = async (id: string, secret: string) => {
    const fields = { grant_type: 'client_credentials', client_id: id, client_secret: secret };
    return (await lab.post('/v1/auth/m2m/token', fields)).status;
  };

  /** Somebody who was invited opens an account, and the settings. */
  async function invited(address: string, name: string): Promise<Page> {
    const page = await lab.newPage(script);
    await page.goto(new URL(address).pathname);
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.goto('/console/settings');
    await expectTitle(page, 'Settings');
    return page;
  }

  async function invitation(client: TestClient, email: string): Promise<string> {
    const made = await client.call('POST', '/v1/invitations', { body: { email, role: 'member' } });
    expect(made.status, made.text).toBe(201);
    return made.body.data.url;
  }

  test('people are invited, get a role and a new password, and are removed', async () => {
    const { page, faults, elsewhere } = await opened();
    await page.getByRole('link', { name: 'Settings' }).click();
    const invitations = part(page, 'Invitations');
    await go(page, 'Invitations');
    for (const name of ['grace', 'nobody']) {
      await invitations.getByLabel('Email', { exact: true }).fill(`${name}@example.com`);
      await invitations.getByRole('button', { name: 'Invite' }).click();
      await rowOf(page, 'Invitations', `${name}@example.com`).waitFor();
      if (name === 'nobody') await invitations.getByRole('button', { name: 'Close' }).click();
      else {
        const address = await invitations.getByLabel(/^Invitation link for grace/).inputValue();
        const theirs = await invited(address, 'Grace Hopper');
        for (const title of ['Invitations', 'API clients', 'Lake access', 'Audit log']) {
          await go(theirs, title);
          await part(theirs, title).getByText(adminsOnly).waitFor();
        }
        await go(theirs, 'Members');
        await rowOf(theirs, 'Members', 'Ada Lovelace').waitFor();
        expect(await theirs.getByRole('alert').count()).toBe(0);
      }
    }
    await rowOf(page, 'Invitations', 'nobody').getByRole('button').first().click();
    await confirm(page, 'Withdraw');
    await invitations.getByText('There are no open invitations.').waitFor();

    await go(page, 'Members');
    const grace = rowOf(page, 'Members', 'Grace Hopper');
    await grace.getByRole('combobox').selectOption('administrator');
    await grace.getByRole('button', { name: 'Change role' }).first().click();
    await page.getByText('Change the role of Grace Hopper to administrator?').waitFor();
    await confirm(page, 'Change role');
    await grace.getByRole('cell', { name: 'administrator', exact: true }).waitFor();
    await chooseMore(grace, 'Reset password', page);
    await confirm(page, 'Reset password');
    const reset = page.getByLabel(/^Password reset link for Grace Hopper/);
    expect(await reset.inputValue()).toContain('/password/');
    await chooseMore(grace, 'Remove', page);
    await confirm(page, 'Remove');
    await page.getByText('Grace Hopper was removed.').waitFor();
    await grace.waitFor({ state: 'detached' });
    // The last owner stays, and the service says why.
    await chooseMore(rowOf(page, 'Members', 'Ada Lovelace'), 'Remove', page);
    await confirm(page, 'Remove');
    await page.getByRole('dialog').getByRole('alert').waitFor();
    expect([faults, elsewhere]).toEqual([[], []]);
  });

  test('what an administrator issued is told when it ends with their role', async () => {
    let client!: TestClient;
    const { page } = await opened(async (made) => {
      client = made;
    });
    const admin = await personOf(lab.workspace, client, 'admin');
    const body = { email: 'guest@example.com', role: 'member' };
    expect((await admin.call('POST', '/v1/invitations', { body })).status).toBe(201);
    await page.goto('/console/settings/members');
    const row = rowOf(page, 'Members', admin.email);
    await row.getByRole('combobox').selectOption('member');
    await row.getByRole('button', { name: 'Change role' }).first().click();
    await confirm(page, 'Change role');
    await page.getByText('now has the role member.').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Invitation for guest@example.com' }).waitFor();
  });

  test('what ran as somebody who was removed is taken over', async () => {
    let client!: TestClient;
    const { page } = await opened(async (made) => {
      client = made;
    });
    const leaver = await personOf(lab.workspace, client, 'member');
    const asLeaver = { ...client, call: leaver.call };
    const projectId = (await leaver.call('POST', '/v1/projects', { body: { name: 'Leaving' } })).body.data.id;
    const playbookId = await writtenPlaybook(asLeaver, projectId);
    await madeSchedule(asLeaver, projectId, playbookId, { description: 'Every morning' });
    await madeSchedule(asLeaver, projectId, playbookId, { description: 'Every evening' });
    const graph = graphOf([node('q', 'query', { sql: 'SELECT 1 AS one' })]);
    const { active, draft } = workflowsOf(asLeaver, () => projectId);
    const workflow = await active(graph);
    await draft(graph, { title: 'Not yet begun' });

    await page.goto('/console/settings/members');
    await chooseMore(rowOf(page, 'Members', leaver.email), 'Remove', page);
    await confirm(page, 'Remove');
    const paused = (name: string) => part(page, 'Members').getByRole('listitem').filter({ hasText: name });
    for (const name of [workflow.title, 'Every morning'])
      await paused(name).getByRole('button', { name: 'Take over' }).click();
    await paused('Every morning').getByRole('link').waitFor();
    await paused(workflow.title).getByRole('link').click();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();

    // What was not taken over at once is found where it is listed.
    await page.goto('/console/workflows');
    await openPart(page, 'Workflows without an owner');
    await page.getByRole('row').filter({ hasText: 'Not yet begun' }).getByRole('button').click();
    await page.getByText('Every workflow has an owner.').waitFor();
    await page.getByRole('link', { name: 'Not yet begun' }).waitFor();
    await page.goto('/console/schedules');
    await page.getByRole('link', { name: 'Every evening' }).click();
    await page.getByText('Paused because the person it runs as was removed.').waitFor();
    await page.getByRole('button', { name: 'Take over' }).click();
    await page.getByRole('button', { name: 'Take over' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
  });

  test('a client is issued, gets another secret, and is revoked; each is an event', async () => {
    const { page } = await opened();
    await page.goto('/console/settings/clients');
    const clients = part(page, 'API clients');
    await clients.getByLabel('Client name').fill('nightly');
    await clients.getByRole('button', { name: 'Create client' }).click();
    const id = await clients.getByLabel('Client ID').inputValue();
    const secret = clients.getByLabel('Secret of nightly', { exact: true });
    const first = await secret.inputValue();
    expect(await exchange(id, first)).toBe(200);
    const row = rowOf(page, 'API clients', 'nightly');
    await chooseMore(row, 'Replace secret', page);
    await confirm(page, 'Replace secret');
    await expectEventually(() => secret.inputValue()).not.toBe(first);
    expect([await exchange(id, first), await exchange(id, await secret.inputValue())]).toEqual([401, 200]);
    await chooseMore(row, 'Revoke', page);
    await confirm(page, 'Revoke');
    await row.getByText('revoked').waitFor();
    expect(await exchange(id, await secret.inputValue())).toBe(401);
    await clients.getByRole('button', { name: 'Close' }).click();

    const audit = part(page, 'Audit log');
    await go(page, 'Audit log');
    await audit.getByLabel('Action, such as table.deleted').fill('client.revoked');
    await audit.getByRole('button', { name: 'Filter' }).click();
    await audit.getByRole('row').filter({ hasText: 'client.revoked' }).filter({ hasText: id }).waitFor();
    await expectEventually(() => audit.getByRole('row').count()).toBe(2);
    await audit.getByLabel('Before (date)').fill('2001-01-01');
    await audit.getByRole('button', { name: 'Filter' }).click();
    await audit.getByText('No events match.').waitFor();
  });

  test('projects are made, renamed and archived; a session is ended', async () => {
    const { page } = await opened();
    await page.goto('/console/settings/projects');
    const projects = part(page, 'Projects');
    await projects.getByLabel('Project name').fill('Sales');
    await projects.getByRole('button', { name: 'Create project' }).click();
    await rowOf(page, 'Projects', 'Sales').getByRole('button', { name: 'Rename' }).click();
    await projects.getByLabel('Project', { exact: true }).fill('Returns');
    await projects.getByLabel('Description').fill('What came back.');
    await projects.getByRole('button', { name: 'Save' }).click();
    await rowOf(page, 'Projects', 'Returns').getByText('What came back.').waitFor();
    await rowOf(page, 'Projects', 'Returns').getByRole('button', { name: 'Archive' }).first().click();
    await confirm(page, 'Archive');
    await rowOf(page, 'Projects', 'Returns').getByText('archived').waitFor();

    const other = await page.context().newPage();
    await other.goto('/console/settings');
    await expectTitle(other, 'Settings');
    await go(page, 'Your sessions');
    const mine = rowOf(page, 'Your sessions', 'console (this session)');
    const others = part(page, 'Your sessions').getByRole('row').filter({ hasNotText: 'this session' });
    await mine.waitFor();
    await expectEventually(() => others.count()).toBe(2);
    await others.last().getByRole('button', { name: 'End' }).first().click();
    await confirm(page, 'End');
    await expectEventually(() => others.count()).toBe(1);
    await mine.getByRole('button', { name: 'End' }).first().click();
    await confirm(page, 'End');
    await expectTitle(page, "You're signed out");
  });

  test('an API that fails is told, and asked again', async () => {
    const { page } = await opened((client) => project(client, 'Sales'));
    let isBroken = true;
    await page.route(/\/v1\/(members|projects|invitations|audit-events|auth\/(sessions|m2m))/, (route) =>
      isBroken
        ? route.fulfill({ status: 422, json: { code: 'conflict', detail: 'Broken for a test.' } })
        : route.continue(),
    );
    await page.goto('/console/settings');
    for (const title of ['Members', 'Invitations', 'API clients', 'Audit log', 'Your sessions', 'Projects']) {
      await go(page, title);
      await part(page, title).getByRole('alert').waitFor();
    }
    isBroken = false;
    await part(page, 'Projects').getByRole('button', { name: 'Try again' }).click();
    await rowOf(page, 'Projects', 'Sales').waitFor();
    isBroken = true;
    await part(page, 'Projects').getByLabel('Project name').fill('More');
    await part(page, 'Projects').getByRole('button', { name: 'Create project' }).click();
    await part(page, 'Projects').getByText('Broken for a test.').waitFor();
    expect(await part(page, 'Projects').getByLabel('Project name').inputValue()).toBe('More');
  });

  test('what people wrote is text, wherever it stands', async () => {
    let address = '';
    const { page, faults } = await opened(async (client) => {
      address = await invitation(client, 'hostile@example.com');
      for (const name of hostile.slice(0, 2)) {
        await project(client, name);
        const body = { name, scopes: ['agent:read'] };
        expect((await client.call('POST', '/v1/auth/m2m/clients', { body })).status).toBe(201);
      }
    });
    await invited(address, hostile[0]!);
    await page.goto('/console/settings');
    for (const title of ['Projects', 'API clients', 'Audit log']) {
      await go(page, title);
      for (const name of hostile.slice(0, 2)) await rowOf(page, title, name).first().waitFor();
    }
    await go(page, 'Members');
    await chooseMore(rowOf(page, 'Members', hostile[0]!), 'Remove', page);
    await page.getByRole('dialog').getByText(`Remove ${hostile[0]}?`).waitFor();
    expect([await hasRun(page), faults]).toEqual([false, []]);
  });

  test('it is accessible in light and dark colours, and fits a narrow window', async () => {
    const { page } = await opened(async (client) => {
      await invitation(client, 'invited@example.com');
      await project(client, 'A project of a long name that tells all that there is to say');
    });
    await page.goto('/console/settings');
    for (const [title, name] of [
      ['Organization', 'organization'],
      ['Members', 'members'],
      ['API clients', 'clients'],
      ['Lake access', 'lake'],
      ['Models', 'models'],
      ['Your sessions', 'sessions'],
      ['Appearance', 'appearance'],
    ] as const) {
      await go(page, title);
      await page.getByText('Loading …').waitFor({ state: 'detached' });
      await inspect(page, name === 'members' ? 'settings' : `settings-${name}`);
    }
    await go(page, 'Audit log');
    await rowOf(page, 'Audit log', 'invitation.created').first().waitFor();
    await inspect(page, 'settings-audit');
    await go(page, 'Projects');
    await rowOf(page, 'Projects', 'A project').getByRole('button', { name: 'Rename' }).click();
    await inspect(page, 'settings-projects');
    await go(page, 'Invitations');
    await rowOf(page, 'Invitations', 'invited').waitFor();
    await part(page, 'Invitations').getByLabel('Email', { exact: true }).fill('more@example.com');
    await part(page, 'Invitations').getByRole('button', { name: 'Invite' }).click();
    await part(page, 'Invitations').getByRole('button', { name: 'Close' }).waitFor();
    await inspect(page, 'settings-invitations');
  });
});
