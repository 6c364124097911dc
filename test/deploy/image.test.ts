import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const lines = (file: string): string[] => readFileSync(file, 'utf8').trim().split('\n');

test('no process of the image imports a package that only builds need', () => {
  const removed = lines('deploy/image/build-only-packages.txt');
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(removed.filter((name) => !(name in dependencies))).toEqual([]);
  const sources = globSync(
    '{api,worker,workflows,activities,service,domain,data,packages/*/src,migrations,local}/**/*.ts',
  );
  expect(sources.length).toBeGreaterThan(500);
  const imported = new Set(
    sources.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/(?:from|import|import\(|\() ?'((?:@[\w.-]+\/)?[\w.-]+)/g)].map(
        ([, name]) => name!,
      ),
    ),
  );
  expect(imported).toContain('fastify');
  expect(removed.filter((name) => imported.has(name))).toEqual([]);
});

test('both base images are arguments, so that digests can be pinned', () => {
  const stages = lines('Dockerfile').filter((line) => line.startsWith('FROM '));
  expect(stages).toEqual(['FROM ${BUILD_BASE} AS build', 'FROM ${BASE}']);
  expect(lines('Dockerfile')).toContain('USER 1000:1000');
});

test('files with secrets do not get into the image', () => {
  expect(lines('.dockerignore')).toEqual(expect.arrayContaining(['.git', '.data', '**/.env', '**/*.env']));
});
