import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { excepted, exceptedAddresses, parts } from './fetching-parts.ts';
import { asPattern, requestOf, seeParts } from './states.ts';

const source = join(import.meta.dirname, '../../console/src');
const sources = globSync('**/*.{ts,tsx}', { cwd: source }).map((file) => ({
  file,
  text: readFileSync(join(source, file), 'utf8').replaceAll(/^import .*$/gm, ''),
}));
const inSources = (what: RegExp) =>
  sources.flatMap(({ text }) => [...text.matchAll(what)].map(([, at]) => at!));
test('each query of the console is looked at, or it is said why not', () => {
  const queries = /\buse(?:Query|Queries|InfiniteQuery|Me|Known)[(<]|<Pages\b/g;
  const asked = sources.map(({ file, text }) => [file, text.match(queries)?.length ?? 0] as const);
  const looked = (file: string) => parts.filter(({ of }) => [of].flat().includes(file)).length;
  const left = asked.filter(([file, count]) => count > looked(file) + (excepted[file]?.length ?? 0));
  expect(left).toEqual([]);
  const files = new Set(sources.map(({ file }) => file));
  const named = [...parts.flatMap(({ of }) => of), ...Object.keys(excepted)];
  expect(named.filter((file) => !files.has(file))).toEqual([]);
  const needless = Object.entries(excepted).filter(
    ([file, why]) => why.length > (asked.find(([one]) => one === file)?.[1] ?? 0),
  );
  expect(needless).toEqual([]);
});

test('each address that the console reads is looked at, or it is said why not', () => {
  const read = [
    ...inSources(/workspace\s*\.get\(\s*'(\/v1\/[^']+)'/g),
    ...inSources(/`(\/v1\/(?:\$\{[^}]*\}|[^`?$])+)/g),
  ];
  const known = [...parts.map(({ asks }) => requestOf(asks).path), ...Object.keys(exceptedAddresses)];
  const left = new Set(read.filter((address) => !known.some((path) => asPattern(address).test(path))));
  expect([...left]).toEqual([]);
  const needless = Object.keys(exceptedAddresses).filter(
    (path) => !read.some((address) => asPattern(address).test(path)),
  );
  expect(needless).toEqual([]);
});

test('each page of the console is looked at', () => {
  const pages = inSources(/\.\.\.inFrame\('([^']+)'\)/g);
  expect(pages.length).toBeGreaterThan(20);
  const visited = parts.map(({ at }) => /^\/console([^?]*)/.exec(at)![1]!);
  expect(pages.filter((page) => !visited.some((at) => asPattern(page).test(at)))).toEqual([]);
});

/** The long ring looks at all of them. */
seeParts(8);
