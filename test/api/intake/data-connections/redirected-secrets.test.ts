import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  type ConnectionType,
  connectionTypes,
} from '../../../../domain/intake/data-connections/types/field.ts';
import { typeTables } from '../../../../domain/intake/data-connections/types/types.ts';
import { connect, httpServer, tested } from '../../../support/sources.ts';
import { type TestClient, useOrganization, useOwnWorkspace } from '../../../support/workspace.ts';

const workspace = useOwnWorkspace({}, () => ({
  ALLOWED_PRIVATE_ADDRESSES: '127.0.0.0/8',
  ALLOW_UNVALIDATED_ADDRESSES: 'true',
}));
const client = useOrganization(workspace);

type Values = Record<string, string | number | boolean>;
interface Sample {
  type: ConnectionType;
  config: Values;
  secrets: Record<string, string>;
}

const server = { host: 'db.example.com', port: 5_000, database: 'shop', user: 'u', ssl_mode: 'verify_full' };
const keys = { access_key_id: 'a-key-id', secret_access_key: 'a-key' };
const files = {
  ...{ endpoint: 'https://s3.example.com', region: 'eu-central-1', bucket: 'exports' },
  path_style: true,
};
const web = { base_url: 'https://api.example.com/v1' };

/** For every type and every way of authenticating, a sample with all of its secrets and addresses. */
const samples: Sample[] = [
  { type: 'postgres', config: server, secrets: { password: 'a-password' } },
  { type: 'mysql', config: server, secrets: { password: 'a-password' } },
  { type: 'http', config: { ...web, auth_type: 'basic', username: 'u' }, secrets: { password: 'p' } },
  { type: 'http', config: { ...web, auth_type: 'bearer' }, secrets: { token: 't' } },
  {
    type: 'http',
    config: { ...web, auth_type: 'header', header_name: 'X-Api-Key' },
    secrets: { header_value: 'v' },
  },
  {
    type: 'http',
    config: {
      ...{ ...web, auth_type: 'oauth_client_credentials' },
      ...{ token_url: 'https://auth.example.com/token', client_id: 'c' },
    },
    secrets: { client_secret: 's' },
  },
  { type: 's3', config: { ...files, format: 'csv' }, secrets: keys },
  {
    type: 'ducklake',
    config: { ...server, ...files, data_path: 's3://lake/data/' },
    secrets: { password: 'a-password', ...keys },
  },
];

/** Another value for each field that says where secrets go, or how they are sent. */
const elsewhere: Values = {
  host: 'elsewhere.example.com',
  port: 5_001,
  ssl_mode: 'require',
  base_url: 'https://elsewhere.example.com/v1',
  token_url: 'https://elsewhere.example.com/token',
  header_name: 'User-Agent',
  endpoint: 'https://elsewhere.example.com',
  region: 'cn-north-1',
  bucket: 'others',
  path_style: false,
  data_path: 's3://others/data/',
};

const directing = samples.flatMap((sample) =>
  typeTables[sample.type].config
    .filter(({ key, directs }) => directs.length > 0 && Object.hasOwn(sample.config, key))
    .map(({ key, directs }) => ({
      ...{ key, ...sample },
      directed: directs.filter((secret) => Object.hasOwn(sample.secrets, secret)),
    })),
);

const refusedAt = (body: { detail?: { loc: string[]; type: string }[] }) =>
  body.detail?.map(({ loc, type }) => `${loc.slice(1).join('.')} ${type}`);

async function connection(client: TestClient, { type, config, secrets }: Sample): Promise<string> {
  return connect(client, type, config, { secrets });
}

describe('the declarations', () => {
  test('direct secrets of their own type, and each secret is directed by something', () => {
    for (const { type, config, secrets } of Object.values(typeTables)) {
      const known = secrets.map(({ key }) => key).sort();
      const directed = [...new Set(config.flatMap(({ directs }) => directs))].sort();
      expect(directed, type).toEqual(known);
    }
  });

  test('have no field by the name of an address that directs nothing', () => {
    for (const { type, config } of Object.values(typeTables))
      for (const { key, directs } of config)
        if (/host|port|url|uri|endpoint|address|bucket|region|path|ssl|tls|proxy/.test(key))
          expect(directs, `${type} ${key}`).not.toEqual([]);
  });

  test('are all walked by the tests below', () => {
    for (const type of connectionTypes) {
      const walked = new Set(directing.filter((one) => one.type === type).map(({ key }) => key));
      const declared = typeTables[type].config.filter(({ directs }) => directs.length > 0);
      expect([...walked].sort(), type).toEqual(declared.map(({ key }) => key).sort());
    }
    for (const { key } of directing) expect(elsewhere, key).toHaveProperty(key);
  });
});

test.each(directing)(
  'another $key of a connection of the type $type needs $directed again',
  async ({ key, directed, ...sample }) => {
    const client = await workspace.organization();
    const at = await connection(client, sample);
    const config = { [key]: elsewhere[key]! };
    const alone = await client.call('PATCH', at, { body: { config } });
    expect([alone.status, refusedAt(alone.body)]).toEqual([
      422,
      directed.map((secret) => `secrets.${secret} missing`),
    ]);
    expect((await client.call('GET', at)).body.data.config).toEqual(sample.config);
    const [first, ...others] = directed;
    if (others.length > 0) {
      const half = { config, secrets: { [first!]: 'given-again' } };
      const refused = await client.call('PATCH', at, { body: half });
      expect(refusedAt(refused.body)).toEqual(others.map((secret) => `secrets.${secret} missing`));
    }
    const again = Object.fromEntries(directed.map((secret) => [secret, sample.secrets[secret]!]));
    const moved = await client.call('PATCH', at, { body: { config, secrets: again } });
    expect(moved.status, moved.text).toBe(200);
    expect(moved.body.data.config).toEqual({ ...sample.config, ...config });
  },
);

test('one removed falls back to where it would go then, and is the same change', async () => {
  const at = await connection(client, samples[0]!);
  const patched = async (body: object) => {
    const { status, body: answer } = await client.call('PATCH', at, { body });
    return [status, refusedAt(answer)];
  };
  expect(await patched({ config: { port: null } })).toEqual([422, ['secrets.password missing']]);
  expect(await patched({ config: { port: null }, secrets: { password: 'p' } })).toEqual([200, undefined]);
  expect(await patched({ config: { port: 5_432 } })).toEqual([200, undefined]);
  expect(await patched({ config: { host: 'h' }, secrets: { password: null } })).toEqual([200, undefined]);
  expect(await patched({ config: { host: 'h2' } })).toEqual([200, undefined]);
});

test('what leaves secrets where they go, or sends them more safely, needs none of them', async () => {
  const changes: [number, Values][] = [
    [0, { database: 'other', user: 'v', host: 'DB.example.com' }],
    [3, { base_url: 'https://api.example.com:443/v2' }],
    [5, { client_id: 'd', token_url: 'https://auth.example.com/v2/token' }],
    [6, { prefix: 'daily/', format: 'parquet' }],
    [7, { metadata_schema: 'lake', data_path: 's3://lake/more/' }],
  ];
  for (const [index, config] of changes) {
    const at = await connection(client, samples[index]!);
    const changed = await client.call('PATCH', at, { body: { config } });
    expect(changed.status, changed.text).toBe(200);
  }
  const weak = { ...samples[0]!, config: { ...server, ssl_mode: 'disable' } };
  const at = await connection(client, weak);
  for (const ssl_mode of ['require', 'verify_full'])
    expect((await client.call('PATCH', at, { body: { config: { ssl_mode } } })).status).toBe(200);
});

test('addresses that are checked no more need every secret again', async () => {
  const at = await connection(client, samples[3]!);
  const snapshot_config = { http_replication: { validate_server_address: false } };
  const alone = await client.call('PATCH', at, { body: { snapshot_config } });
  expect([alone.status, refusedAt(alone.body)]).toEqual([422, ['secrets.token missing']]);
  const given = await client.call('PATCH', at, { body: { snapshot_config, secrets: { token: 't' } } });
  expect(given.status, given.text).toBe(200);
  const kept = await client.call('PATCH', at, { body: { snapshot_config } });
  expect(kept.status, kept.text).toBe(200);
  const checked = await client.call('PATCH', at, { body: { snapshot_config: { http_replication: null } } });
  expect(checked.status, checked.text).toBe(200);
});

test('a server that a connection is pointed at gets no secret that was given for another one', async () => {
  const token = `a-secret-${randomUUID()}`;
  const [own, other] = [
    await httpServer((_, response) => response.end('[]')),
    await httpServer((_, response) => response.end('[]')),
  ];
  const config = { base_url: own.base, auth_type: 'bearer' };
  const at = await connect(client, 'http', config, { secrets: { token } });
  const moved = await client.call('PATCH', at, { body: { config: { base_url: other.base } } });
  expect([moved.status, moved.body.detail]).toEqual([
    422,
    [
      {
        loc: ['body', 'secrets', 'token'],
        msg: 'Bearer token was set for another Base URL. Send it again, or send null to remove it.',
        type: 'missing',
      },
    ],
  ]);
  expect(await tested(client, at)).toMatchObject({ ok: true });
  expect(own.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${token}`]);
  expect(other.requests).toEqual([]);
});
