import { readFileSync } from 'node:fs';
import { createSecureServer, type Http2SecureServer, type IncomingHttpHeaders } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { NativeConnection } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createTemporalClient,
  type TemporalSettings,
  temporalConnection,
} from '../../../data/processes/connect.ts';
import { startProcess } from '../../../data/processes/temporal.ts';
import { readEnvironment, storesConfig, storesEnvironment } from '../../../data/stores-config.ts';

const pathOf = (name: string) => fileURLToPath(new URL(`./certificate/${name}.pem`, import.meta.url));

/** Answers every gRPC call with an empty message, and keeps the headers it came with. */
let server: Http2SecureServer;
const seen: IncomingHttpHeaders[] = [];
let settings: TemporalSettings;

beforeAll(async () => {
  server = createSecureServer({ cert: readFileSync(pathOf('cert')), key: readFileSync(pathOf('key')) });
  server.on('stream', (stream, headers) => {
    seen.push(headers);
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(Buffer.alloc(5));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const environment = {
    DATABASE_URL: 'postgres://localhost/none',
    S3_BUCKET: 'none',
    S3_ACCESS_KEY_ID: 'none',
    S3_SECRET_ACCESS_KEY: 'none',
    ENCRYPTION_KEYS: 'none',
    TEMPORAL_ADDRESS: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    TEMPORAL_NAMESPACE: 'analytics.a1b2c',
    TEMPORAL_API_KEY: 'key-of-the-namespace',
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: pathOf('ca'),
    TEMPORAL_TLS_SERVER_NAME: 'temporal.test',
  };
  settings = storesConfig(readEnvironment(storesEnvironment, environment)).temporal;
});

afterAll(() => {
  server.close();
});

const keyed = { authorization: 'Bearer key-of-the-namespace' };

test('a remote service is reached by TLS with the API key, by clients and workers alike', async () => {
  const client = createTemporalClient(settings, {});
  await client.workflowService.getSystemInfo({});
  await client.connection.close();
  expect(seen).not.toHaveLength(0);
  for (const headers of seen.splice(0)) expect(headers).toMatchObject(keyed);
  const native = await NativeConnection.connect(temporalConnection(settings));
  await native.close();
  expect(seen).not.toHaveLength(0);
  for (const headers of seen.splice(0)) expect(headers).toMatchObject(keyed);
});

test('a start asks the service itself, whatever its port says', async () => {
  const client = createTemporalClient(settings, {});
  const start = {
    workflowId: 'table-import/imp_1',
    workflowType: 'tableImport',
    taskQueue: 'control',
    argument: {},
    searchAttributes: {},
    memo: {},
    summary: 'An import',
  };
  expect(await startProcess(client, start, { isRemote: settings.tls })).toMatchObject({ outcome: 'started' });
  expect(seen.splice(0).map((headers) => headers[':path'])).toContain(
    '/temporal.api.workflowservice.v1.WorkflowService/StartWorkflowExecution',
  );
  await client.connection.close();
});

test('a server whose certificate nobody vouches for is not talked to', async () => {
  const client = createTemporalClient({ ...settings, serverCaPath: undefined }, {});
  await expect(
    client.withDeadline(Date.now() + 2_000, () => client.workflowService.getSystemInfo({})),
  ).rejects.toThrow();
  await client.connection.close();
  expect(seen).toHaveLength(0);
});

test('a key is never sent in the clear, and without one nothing changes', () => {
  const { address, namespace } = settings;
  const plain = { ...settings, apiKey: undefined, tls: false };
  expect(temporalConnection(plain)).toEqual({ address });
  expect(temporalConnection({ ...settings, tls: false })).toEqual({ address });
  expect(namespace).toBe('analytics.a1b2c');
});
