import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { composeFile, namesOf, readCompose } from '../support/deployment-files.ts';

const folder = 'deploy/compose';
const { services, volumes, networks } = readCompose();
const ours = ['api', 'worker', 'migrate'];

test('every file, volume, network and service that a service names is there', () => {
  for (const [name, service] of Object.entries(services)) {
    for (const volume of service.volumes ?? []) {
      const [source = ''] = volume.split(':');
      if (source.startsWith('.')) expect(existsSync(join(folder, source)), `${name}: ${source}`).toBe(true);
      else expect(Object.keys(volumes), name).toContain(source);
    }
    const joined = Array.isArray(service.networks) ? service.networks : Object.keys(service.networks ?? {});
    expect(joined, name).not.toEqual([]);
    for (const network of joined) expect(Object.keys(networks), name).toContain(network);
    for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
      expect(Object.keys(services), name).toContain(other);
      expect(condition).toMatch(/^service_(healthy|started|completed_successfully)$/);
    }
    expect(service.mem_limit, name).toMatch(/^\d+[mg]$/);
  }
  expect(existsSync(join(folder, services['api']!.build!, 'Dockerfile'))).toBe(true);
  expect(existsSync(services['worker']!.command!.at(-1)!)).toBe(true);
  expect(existsSync(services['migrate']!.command!.at(-1)!)).toBe(true);
});

test('our own processes run with a root that they cannot write, after the migration', () => {
  for (const name of ours) {
    expect(services[name]).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      tmpfs: [expect.stringMatching(/^\/tmp:/)],
    });
  }
  for (const name of ['api', 'worker']) {
    expect(services[name]!.depends_on!['migrate']).toEqual({ condition: 'service_completed_successfully' });
    expect(services[name]!.volumes).toEqual([`${name}-work:/work`]);
  }
});

test('the only trusted proxy is the one of the file, and it sends events on at once', () => {
  const { networks: joined } = services['proxy']!;
  expect((joined as Record<string, { ipv4_address: string }>)['edge']!.ipv4_address).toBe(
    services['api']!.environment!['TRUSTED_PROXIES'],
  );
  const caddyfile = readFileSync(join(folder, 'Caddyfile'), 'utf8');
  expect(caddyfile.match(/flush_interval -1/g)).toHaveLength(2);
  const given = Object.keys(services['proxy']!.environment!);
  for (const [, name] of caddyfile.matchAll(/\{\$([A-Z_]+)\}/g)) expect(given).toContain(name);
});

test('the example of .env has every value that the file requires, and no other', () => {
  const text = readFileSync(composeFile, 'utf8');
  const required = new Set([...text.matchAll(/\$\{([A-Z0-9_]+):\?\}/g)].map(([, name]) => name!));
  const optional = new Set([...text.matchAll(/\$\{([A-Z0-9_]+):-/g)].map(([, name]) => name!));
  const example = namesOf(join(folder, 'env.example'));
  expect(example.filter((name) => !optional.has(name)).sort()).toEqual([...required].sort());
  // Without a default, a forgotten value would silently be empty.
  expect(text.match(/\$\{[A-Z0-9_]+\}/g)).toBeNull();
});
