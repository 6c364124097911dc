import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { insertProcessStart } from '../../../../data/postgres/process-starts.ts';
import { expectEventually } from '../../../support/eventually.ts';
import { useOrganization, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
const client = useOrganization(workspace);
const script = fileURLToPath(new URL('../../../../local/organizations.ts', import.meta.url));

/** The lines that the operator's command prints. */
async function organizations(...args: string[]) {
  const env = { ...process.env, DATABASE_URL: workspace.databaseUrl };
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...args], { env });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test('the operator lists and shows organizations', async () => {
  const listed = await organizations('list');
  expect(listed).toContainEqual(
    expect.objectContaining({ id: client.organizationId, suspendedAt: null, createdAt: expect.any(String) }),
  );
  const [shown] = await organizations('show', client.organizationId);
  expect(shown).toMatchObject({ id: client.organizationId, people: 1, projects: 0, tables: 0 });
  await expect(organizations('show', 'org_01kahz3v6dfyvb1s8m3h9q2w4x')).rejects.toMatchObject({
    stderr: 'There is no organization org_01kahz3v6dfyvb1s8m3h9q2w4x.\n',
  });
  await expect(organizations('list', 'more')).rejects.toMatchObject({ code: 1 });
});

test('a suspended organization is refused with its tokens, secrets and starts, and is as before when resumed', async () => {
  const other = await workspace.organization();
  const project = (await client.call('POST', '/v1/projects', { body: { name: 'Kept' } })).body.data.id;
  const secret = await client.call('POST', '/v1/auth/m2m/clients', {
    body: { name: 'worker', scopes: ['agent:read'] },
  });
  expect(secret.status, secret.text).toBe(201);
  const [suspended] = await organizations('suspend', client.organizationId);
  expect(suspended.suspendedAt).toEqual(expect.any(String));
  expect((await organizations('suspend', client.organizationId))[0]).toEqual(suspended);

  // A token that was just used is known for a second.
  await expectEventually(async () => (await client.call('GET', '/v1/me')).body.code).toBe(
    'organization_suspended',
  );
  expect((await client.call('GET', `/v1/projects/${project}`)).status).toBe(403);
  const exchanged = await workspace.call('POST', '/v1/auth/m2m/token', {
    raw: {
      contentType: 'application/x-www-form-urlencoded',
      text: `client_id=${secret.body.data.clientId}&client_secret=${secret.body.data.clientSecret}`,
    },
  });
  expect([exchanged.status, exchanged.body.code]).toEqual([403, 'organization_suspended']);
  expect((await other.call('GET', '/v1/me')).status).toBe(200);

  const start = {
    ...{ workflowId: 'export/exp_none', workflowType: 'tableExport', taskQueue: 'control' },
    ...{ argument: {}, searchAttributes: {}, memo: {}, summary: '' },
  };
  await expect(
    inOrganization(workspace.deps.db, client.organizationId, (transaction) =>
      insertProcessStart(transaction, client.organizationId, start),
    ),
  ).rejects.toMatchObject({ code: 'organization_suspended' });

  const [resumed] = await organizations('resume', client.organizationId);
  expect(resumed.suspendedAt).toBeNull();
  await expectEventually(async () => (await client.call('GET', `/v1/projects/${project}`)).status).toBe(200);
});
