import { expect, test } from 'vitest';
import { createIcebergTables } from '../../../../domain/tables/iceberg/load.ts';
import { removeOldMetadata } from '../../../../domain/tables/iceberg/remove.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();

const base = '/v1/iceberg/v1';

async function createTable(client: TestClient, name: string): Promise<string> {
  const columns = [
    { name: 'n', data_type: 'INTEGER' },
    { name: 'amount', data_type: 'DECIMAL' },
    { name: 'label', data_type: 'STRING' },
  ];
  const { body } = await client.call('POST', '/v1/grid/tables', { body: { name, kind: 'data', columns } });
  return body.data.tableId;
}

const load = (client: TestClient, name: string, headers: Record<string, string> = {}) =>
  client.call('GET', `${base}/${client.organizationId}/namespaces/main/tables/${name}`, { headers });

test('lists the namespace and the tables that the caller may read', async () => {
  const client = await workspace.organization();
  await createTable(client, 'orders');
  const config = await client.call('GET', `${base}/config?warehouse=anything`);
  expect(config.body).toMatchObject({ overrides: { prefix: client.organizationId }, defaults: {} });
  const at = `${base}/${client.organizationId}/namespaces`;
  expect((await client.call('GET', at)).body).toEqual({ namespaces: [['main']] });
  expect((await client.call('GET', `${at}/main`)).body).toEqual({ namespace: ['main'], properties: {} });
  expect((await client.call('GET', `${at}/main/tables`)).body).toEqual({
    identifiers: [{ namespace: ['main'], name: 'orders' }],
  });
  const missing = await client.call('GET', `${at}/other/tables`);
  expect([missing.status, missing.body.error.type]).toEqual([404, 'NoSuchNamespaceException']);
  const again = await client.call('POST', at, { body: { namespace: ['main'] } });
  expect([again.status, again.body.error.type]).toEqual([409, 'AlreadyExistsException']);
  const more = await client.call('POST', at, { body: { namespace: ['more'] } });
  expect([more.status, more.body.error.type]).toEqual([406, 'UnsupportedOperationException']);
  const renamed = await client.call('POST', `${base}/${client.organizationId}/tables/rename`, { body: {} });
  expect([renamed.status, renamed.body.error.type]).toEqual([406, 'UnsupportedOperationException']);
  const foreign = await workspace.organization();
  const other = await foreign.call('GET', `${at}/main/tables`);
  expect([other.status, other.body.error.type]).toEqual([404, 'NoSuchNamespaceException']);
});

test('a row that was acknowledged is in the next load, under the number of its version', async () => {
  const client = await workspace.organization();
  const id = await createTable(client, 'events');
  const rows = [{ s_id: 1, n: 5, amount: '1.5', label: 'a' }];
  const { body } = await client.call('POST', `/v1/tables/${id}/rows`, { body: { rows } });
  const loaded = await load(client, 'events');
  expect(loaded.status).toBe(200);
  const { metadata } = loaded.body;
  expect(metadata['current-snapshot-id']).toBe(body.data.tableVersion);
  expect(metadata.snapshots.at(-1).summary).toMatchObject({ 'total-records': '1' });
  expect(
    metadata.schemas[0].fields.map((field: { name: string; type: string }) => [field.name, field.type]),
  ).toEqual([
    ['s_id', 'long'],
    ['n', 'long'],
    ['amount', 'decimal(38, 10)'],
    ['label', 'string'],
    ['_sm_created_at', 'timestamptz'],
  ]);
  const again = await load(client, 'events');
  expect(again.body['metadata-location']).toBe(loaded.body['metadata-location']);
});

test('what a caller may not read is not listed, and 404', async () => {
  const client = await workspace.organization();
  const id = await createTable(client, 'secret');
  const reader = await client.call('POST', '/v1/auth/m2m/clients', {
    body: { name: 'engine', scopes: ['agent:read'] },
  });
  await client.call('PUT', `/v1/tables/${id}/grants`, {
    body: { grants: [{ principal: 'client', id: client.clientId, access: 'write' }] },
  });
  const { clientId, clientSecret } = reader.body.data;
  const exchanged = await workspace.call('POST', `${base}/oauth/tokens`, {
    raw: {
      text: new URLSearchParams({
        grant_type: 'client_credentials',
        scope: 'catalog',
        client_id: clientId,
        client_secret: clientSecret,
      }).toString(),
      contentType: 'application/x-www-form-urlencoded',
    },
  });
  expect(exchanged.body).toMatchObject({ token_type: 'Bearer', scope: 'agent:read' });
  const headers = { authorization: `Bearer ${exchanged.body.access_token}` };
  const at = `${base}/${client.organizationId}/namespaces/main/tables`;
  expect((await workspace.call('GET', at, { headers })).body).toEqual({ identifiers: [] });
  const hidden = await workspace.call('GET', `${at}/secret`, { headers });
  const unknown = await workspace.call('GET', `${at}/unknown`, { headers });
  expect([hidden.status, hidden.body.error.type]).toEqual([404, 'NoSuchTableException']);
  expect(unknown.body.error.message).toBe(hidden.body.error.message.replace('secret', 'unknown'));
  const without = await workspace.call('GET', at);
  expect([without.status, without.body.error.type]).toEqual([401, 'NotAuthorizedException']);
});

test('earlier versions stay readable, with the columns that they had', async () => {
  const client = await workspace.organization();
  const id = await createTable(client, 'changing');
  const first = await client.call('POST', `/v1/tables/${id}/rows`, { body: { rows: [{ s_id: 1, n: 1 }] } });
  await client.call('PATCH', `/v1/grid/tables/${id}/columns/n`, { body: { name: 'number' } });
  await client.call('DELETE', `/v1/grid/tables/${id}/columns/label?confirm=true`);
  await client.call('POST', `/v1/tables/${id}/rows`, { body: { rows: [{ s_id: 2, number: 2 }] } });
  const { metadata } = (await load(client, 'changing')).body;
  const namesOf = (schemaId: number) =>
    metadata.schemas
      .find((schema: { 'schema-id': number }) => schema['schema-id'] === schemaId)
      .fields.map(({ name }: { name: string }) => name);
  const version = metadata.snapshots.find(
    (snapshot: { 'snapshot-id': number }) => snapshot['snapshot-id'] === first.body.data.tableVersion,
  );
  expect(namesOf(version['schema-id'])).toEqual(['s_id', 'n', 'amount', 'label', '_sm_created_at']);
  expect(namesOf(metadata['current-schema-id'])).toEqual(['s_id', 'number', 'amount', '_sm_created_at']);
  expect(metadata.snapshots.at(-1).summary['total-records']).toBe('2');
});

test('signs reads of the files of the table, and nothing else', async () => {
  const client = await workspace.organization();
  const id = await createTable(client, 'signed');
  await client.call('POST', `/v1/tables/${id}/rows`, { body: { rows: [{ s_id: 1, n: 1 }] } });
  const headers = { 'x-iceberg-access-delegation': 'remote-signing' };
  const { config, metadata } = (await load(client, 'signed', headers)).body;
  expect(config).toMatchObject({ 's3.remote-signing-enabled': 'true' });
  expect(config['s3.access-key-id']).toBeUndefined();
  const sign = (uri: string, method = 'GET') =>
    client.call('POST', `/v1/iceberg/${config['s3.signer.endpoint']}`, {
      body: { region: 'us-east-1', method, uri, headers: {} },
    });
  const address = (url: string) => url.replace('s3://', `${config['s3.endpoint']}/`);
  const list = metadata.snapshots.at(-1)['manifest-list'];
  const signed = await sign(address(list));
  expect(signed.status, signed.text).toBe(200);
  const read = await fetch(signed.body.uri);
  expect(
    Buffer.from(await read.arrayBuffer())
      .subarray(0, 4)
      .toString('latin1'),
  ).toBe('Obj\u0001');
  const folder = address(list.slice(0, list.lastIndexOf('/')));
  for (const other of [
    `${folder}/../../../../files/x`,
    `${folder}/%2e%2e/%2e%2e/%2e%2e/%2e%2e/files/x`,
    `${config['s3.endpoint']}/workspace/files/${client.organizationId}/x`,
    'https://example.com/x',
  ])
    expect((await sign(other)).status, other).toBe(403);
  expect((await sign(address(list), 'DELETE')).status).toBe(406);
});

test('keys read the files of the table, for those who may read every table and for others', async () => {
  const client = await workspace.organization();
  const id = await createTable(client, 'keyed');
  await client.call('POST', `/v1/tables/${id}/rows`, { body: { rows: [{ s_id: 1, n: 1 }] } });
  await createTable(client, 'hidden');
  const { tables } = (await client.call('GET', '/v1/tables')).body;
  const hiddenId = tables.find(({ name }: { name: string }) => name === 'hidden').id;
  const grants = [{ principal: 'client', id: client.clientId, access: 'write' }];
  await client.call('PUT', `/v1/tables/${hiddenId}/grants`, { body: { grants } });
  const issued = await client.call('POST', '/v1/auth/m2m/clients', {
    body: { name: 'engine', scopes: ['agent:read'] },
  });
  const exchanged = await workspace.call('POST', `${base}/oauth/tokens`, {
    raw: {
      text: `client_id=${issued.body.data.clientId}&client_secret=${issued.body.data.clientSecret}`,
      contentType: 'application/x-www-form-urlencoded',
    },
  });
  const vended = { 'x-iceberg-access-delegation': 'vended-credentials' };
  const all = (await load(client, 'keyed', vended)).body;
  const own = await workspace.call('GET', `${base}/${client.organizationId}/namespaces/main/tables/keyed`, {
    headers: { ...vended, authorization: `Bearer ${exchanged.body.access_token}` },
  });
  const { bucket } = workspace.deps.objects.settings;
  const folder = `s3://${bucket}/iceberg/${client.organizationId}/${id}/`;
  const prefixes = (credentials: { prefix: string }[]) => credentials.map(({ prefix }) => prefix);
  expect(prefixes(all['storage-credentials'])).toEqual([
    folder,
    expect.stringMatching(/\/lakes\/lak_\w+\/$/),
  ]);
  expect(prefixes(own.body['storage-credentials'])).toEqual([folder]);
  const again = (await load(client, 'keyed', vended)).body;
  expect(again.config['s3.access-key-id']).toBe(all.config['s3.access-key-id']);
  expect(own.body.config['s3.access-key-id']).not.toBe(all.config['s3.access-key-id']);
});

test('metadata that was removed after days is written again', async () => {
  const client = await workspace.organization();
  const id = await createTable(client, 'old');
  await client.call('POST', `/v1/tables/${id}/rows`, { body: { rows: [{ s_id: 1, n: 1 }] } });
  const { objects } = workspace.deps;
  const first = await load(client, 'old');
  const list = () => objects.list(`iceberg/${client.organizationId}/${id}/`, 100);
  const written = (await list()).map(({ key }) => key);
  expect(written.length).toBeGreaterThan(3);
  expect(await removeOldMetadata(objects, client.organizationId)).toBe(0);
  const inFourDays = new Date(Date.now() + 4 * 86_400_000);
  expect(await removeOldMetadata(objects, client.organizationId, inFourDays)).toBe(written.length);
  // Another process, or this one half a day later, remembers nothing.
  const { load: loadAgain } = createIcebergTables(workspace.deps);
  const table = { organizationId: client.organizationId, tableId: id, name: 'old', description: '' };
  const again = await loadAgain({ ...table, properties: {} });
  expect(again.metadataLocation).toBe(first.body['metadata-location']);
  expect((await list()).map(({ key }) => key)).toEqual(written);
});
