import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const declaration = /declare module '[^']*\/data\/ids\.ts' \{\n {2}interface IdPrefixes \{([^}]*)\}/;

test('no two rooms have the same prefix of ids', () => {
  const central = readFileSync('data/ids.ts', 'utf8').split('keyof IdPrefixes')[0]!;
  const listed = [...central.matchAll(/\| '(\w+)'/g)].map(([, prefix]) => prefix);
  const declared = globSync('domain/**/*.ts')
    .flatMap((file) => declaration.exec(readFileSync(file, 'utf8'))?.[1]?.split('\n') ?? [])
    .flatMap((line) => /^\s*(\w+): /.exec(line)?.[1] ?? []);
  const all = [...listed, ...declared];
  expect(listed.length).toBeGreaterThan(50);
  expect(all.filter((prefix, at) => all.indexOf(prefix) !== at)).toEqual([]);
  expect(all.filter((prefix) => !/^[a-z]{3}$/.test(prefix!))).toEqual([]);
});
