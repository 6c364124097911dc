import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const parts =
  'api|worker|activities|workflows|service|domain|packages|data|local|migrations|console|clients|deploy|docs|bench|test';
const path = new RegExp(`\`((?:${parts})/[\\w./*{},-]+)\``, 'g');

/** A pattern of names, and a model's id. */
const notPaths = /NNNN|^local\/qwen3$/;

const documents = [
  ...globSync('{README,CHANGELOG}.md'),
  ...globSync('{docs,deploy,bench}/**/*.md'),
  ...globSync('{domain,packages,data,console,clients,test}/**/README.md', {
    exclude: (name) => name.includes('node_modules'),
  }),
];

test('every path that a document names is there', () => {
  expect(documents.length).toBeGreaterThan(60);
  const missing = documents.flatMap((document) =>
    [...readFileSync(document, 'utf8').matchAll(path)]
      .map(([, named]) => named!)
      .filter((named) => !isThere(named, dirname(document)))
      .map((named) => `${document}: ${named}`),
  );
  expect(missing).toEqual([]);
});

/** From the root, or from a folder above the document. What an installation makes is not in the repository. */
function isThere(named: string, folder: string): boolean {
  if (/(^|\/)(node_modules|dist|extensions)(\/|$)/.test(named) || notPaths.test(named)) return true;
  const places = [named, join(folder, named), join(dirname(folder), named)];
  return places.some((at) => existsSync(at) || globSync(at).length > 0);
}
