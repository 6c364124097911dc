import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { useWorkspace } from '../support/workspace.ts';

const workspace = useWorkspace();

/** Variables that API or worker read. */
const known = new Set(
  ['data/stores-config.ts', 'api/config.ts', 'worker/config.ts', 'domain/analyst/models/config.ts'].flatMap(
    (file) => [...readFileSync(file, 'utf8').matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm)].map(([, name]) => name!),
  ),
);
/** Those of Node and the system. */
const others = ['NODE_ENV', 'PATH'];

test('what the deployment files set are variables that the processes read', () => {
  const lines = [...globSync('deploy/systemd/*.service'), 'deploy/service.env.example'].flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => ({ file, line })),
  );
  const set = lines.flatMap(({ file, line }) => {
    const [, pairs] = /^Environment=(.*)$/.exec(line) ?? [];
    const given = pairs?.split(' ') ?? (file.endsWith('.service') || line.startsWith('#') ? [] : [line]);
    return given.filter((pair) => pair.includes('=')).map((pair) => pair.slice(0, pair.indexOf('=')));
  });
  expect(set).toContain('DATABASE_URL');
  expect(set).toContain('HEALTH_PORT');
  expect(set.filter((name) => !known.has(name) && !others.includes(name))).toEqual([]);
});

test('the release is the same wherever it is told', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect((await workspace.call('GET', '/healthz')).body).toEqual({ status: 'ok', release: version });
  expect((await workspace.call('GET', '/openapi.json')).body.info['x-release']).toBe(version);
  expect(readFileSync('CHANGELOG.md', 'utf8')).toMatch(/^## /m);
});
