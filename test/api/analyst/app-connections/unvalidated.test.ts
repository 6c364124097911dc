import { expect, test } from 'vitest';
import { createAppClients } from '../../../../domain/analyst/app-connections/clients.ts';
import { refreshTools } from '../../../../domain/analyst/app-connections/refresh.ts';
import { startMcpServer } from '../../../support/mcp-server.ts';
import { useOwnWorkspace } from '../../../support/workspace.ts';

const workspace = useOwnWorkspace({}, () => ({ ALLOW_UNVALIDATED_ADDRESSES: 'true' }));
const url = '/v1/connections/app';

test('where the operator allows it a connection goes to any address, for as long as that is so', async () => {
  const client = await workspace.organization();
  const server = await startMcpServer({ tools: [{ name: 'tool' }] });
  try {
    const body = { name: 'Inside', type: 'mcp', url: server.url };
    const made = await client.call('POST', url, { body });
    expect(made.body.data).toMatchObject({
      status: 'failed',
      validateServerAddress: true,
      failure: { stage: 'address_refused' },
    });
    const at = `${url}/${made.body.data.id}`;
    const opened = await client.call('PATCH', at, { body: { validate_server_address: false } });
    expect(opened.body.data).toMatchObject({ status: 'ready', validateServerAddress: false, failure: null });
    const { cipher, db } = workspace.deps;
    const strict = createAppClients({ cipher, allowedPrivate: [], allowUnvalidated: false });
    const { organizationId } = client;
    const outcome = await refreshTools(
      { cipher, db, apps: strict },
      { organizationId, id: made.body.data.id },
    );
    expect(outcome.failure?.stage).toBe('address_refused');
    await strict.close();
  } finally {
    await server.close();
  }
});

test('secrets were given for an address that is checked: they are not sent to one that is not', async () => {
  const client = await workspace.organization();
  const server = await startMcpServer({ tools: [{ name: 'tool' }] });
  try {
    const secrets = { token: 'one', headers: { 'X-Team': 'two' } };
    const body = { name: 'Inside', type: 'mcp', url: server.url, secrets };
    const at = `${url}/${(await client.call('POST', url, { body })).body.data.id}`;
    const opened = { validate_server_address: false };
    const refused = await client.call('PATCH', at, { body: opened });
    expect(refused.status).toBe(422);
    expect(refused.body.detail.map(({ loc }: { loc: string[] }) => loc.join('.'))).toEqual([
      'body.secrets.token',
      'body.secrets.headers.x-team',
    ]);
    expect((await client.call('GET', at)).body.data.validateServerAddress).toBe(true);
    const again = await client.call('PATCH', at, { body: { ...opened, secrets } });
    expect(again.body.data).toMatchObject({ status: 'ready', validateServerAddress: false });
    // The other way is safer.
    const closed = await client.call('PATCH', at, { body: { validate_server_address: true } });
    expect(closed.body.data).toMatchObject({ validateServerAddress: true });
  } finally {
    await server.close();
  }
});
