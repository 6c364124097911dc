import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { settingsFaults } from '../../../../domain/intake/data-connections/settings.ts';
import { typeTables } from '../../../../domain/intake/data-connections/types/types.ts';
import { documentTypes } from '../../../../local/connection-types-page.ts';

test("docs/connections.md has each type's keys as the code has them", async () => {
  const document = await readFile(new URL('../../../../docs/connections.md', import.meta.url), 'utf8');
  const [, made] = /<!-- types -->\n([\s\S]*)\n<!-- end of types -->/.exec(document) ?? [];
  expect(made).toBe(documentTypes());
});

test('every example is a value that its field takes, and what conditions name are fields with those values', () => {
  for (const table of Object.values(typeTables)) {
    for (const field of [...table.config, ...table.secrets]) {
      if (field.example === undefined) continue;
      const alone = { ...table, secrets: [] };
      const { appliesWhen, ...free } = field;
      expect(
        settingsFaults({ ...alone, config: [{ ...free, directs: [] }] }, { [field.key]: field.example }, {}),
        `${table.type} ${field.key}`,
      ).toEqual([]);
      for (const [key, values] of Object.entries({ ...appliesWhen, ...field.requiredWhen })) {
        const named = table.config.find((other) => other.key === key);
        expect(named?.values, `${table.type} ${field.key}`).toEqual(expect.arrayContaining([...values]));
      }
    }
  }
});

const { http, postgres, s3, ducklake } = typeTables;
const base = { base_url: 'https://api.example.com' };
const server = { host: 'db.example.com', database: 'shop', user: 'u' };
const keys = { access_key_id: 'a', secret_access_key: 'b' };

test.each([
  [postgres, { database: 'shop', user: 'u' }, {}, 'config.host', 'missing'],
  [postgres, { ...server, host: 'https://db' }, {}, 'config.host', 'value_error'],
  [postgres, { ...server, host: 7 }, {}, 'config.host', 'string_type'],
  [postgres, { ...server, host: '' }, {}, 'config.host', 'string_too_short'],
  [postgres, { ...server, port: '5432' }, {}, 'config.port', 'int_type'],
  [postgres, { ...server, port: 0 }, {}, 'config.port', 'greater_than_equal'],
  [postgres, { ...server, port: 65_536 }, {}, 'config.port', 'less_than_equal'],
  [postgres, { ...server, ssl_mode: 'prefer' }, {}, 'config.ssl_mode', 'enum'],
  [postgres, { ...server, sslmode: 'disable' }, {}, 'config.sslmode', 'extra_forbidden'],
  [postgres, server, { token: 't' }, 'secrets.token', 'extra_forbidden'],
  [
    postgres,
    JSON.parse('{"__proto__": 1, "host": "h", "database": "d", "user": "u"}'),
    {},
    'config.__proto__',
    'extra_forbidden',
  ],
  [http, { ...base, username: 'u' }, {}, 'config.username', 'value_error'],
  [http, { ...base, auth_type: 'basic' }, {}, 'config.username', 'missing'],
  [http, { ...base, auth_type: 'bearer' }, {}, 'secrets.token', 'missing'],
  [http, { ...base, auth_type: 'bearer' }, { token: 'a b' }, 'secrets.token', 'value_error'],
  [
    http,
    { ...base, auth_type: 'header', header_name: 'Host' },
    { header_value: 'x' },
    'config.header_name',
    'value_error',
  ],
  [http, { base_url: 'https://u:p@api.example.com' }, {}, 'config.base_url', 'value_error'],
  [http, { base_url: 'file:///etc/passwd' }, {}, 'config.base_url', 'value_error'],
  [s3, { bucket: 'exports', format: 'xml' }, keys, 'config.format', 'enum'],
  [s3, { bucket: 'exports', format: 'csv', path_style: 'yes' }, keys, 'config.path_style', 'bool_type'],
  [s3, { bucket: 'exports', format: 'csv', prefix: '*' }, keys, 'config.prefix', 'value_error'],
  [ducklake, { ...server, data_path: '/var/lake' }, keys, 'config.data_path', 'value_error'],
])('%o with %o and %o is told at %s as %s', (table, config, secrets, place, type) => {
  const faults = settingsFaults(table, config, secrets);
  expect(faults.map(({ loc, type }) => [loc.slice(1).join('.'), type])).toEqual([[place, type]]);
});

test('what belongs together passes', () => {
  expect(settingsFaults(postgres, { ...server, ssl_mode: 'disable', port: 5_433 }, {})).toEqual([]);
  expect(settingsFaults(http, base, {})).toEqual([]);
  expect(settingsFaults(http, { ...base, auth_type: 'basic', username: 'u' }, { password: 'p' })).toEqual([]);
  expect(
    settingsFaults(
      http,
      {
        ...base,
        auth_type: 'oauth_client_credentials',
        token_url: 'https://auth.example.com/token',
        client_id: 'c',
      },
      { client_secret: 's' },
    ),
  ).toEqual([]);
  expect(settingsFaults(s3, { bucket: 'exports', format: 'csv', prefix: 'a/b' }, keys)).toEqual([]);
  expect(settingsFaults(ducklake, { ...server, data_path: 's3://lake/data/' }, keys)).toEqual([]);
});
