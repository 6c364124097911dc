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
  ...globSync('{api,domain,packages,data,console,clients,service,test}/**/README.md', {
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

/** A file that a README names without a folder of the root: it is in the README's own folder or below it. */
const ownFile = /`((?:\.\.\/)*(?:[\w-]+\/)*[\w-]+\.tsx?)`/g;

test('every file that a README names is there', () => {
  const missing = documents
    .filter((document) => document.endsWith('/README.md') && !document.startsWith('docs/'))
    .flatMap((document) =>
      [...readFileSync(document, 'utf8').matchAll(ownFile)]
        .map(([, named]) => named!)
        .filter((named) => !isThere(named, dirname(document)) && !isBelow(named, dirname(document)))
        .map((named) => `${document}: ${named}`),
    );
  expect(missing).toEqual([]);
});

/** The README says in a sentence which of its folders it writes about. */
const isBelow = (named: string, folder: string): boolean => globSync(`${folder}/**/${named}`).length > 0;

/** From the root, or from a folder above the document. What an installation makes is not in the repository. */
function isThere(named: string, folder: string): boolean {
  if (/(^|\/)(node_modules|dist|extensions)(\/|$)/.test(named) || notPaths.test(named)) return true;
  const places = [named, join(folder, named), join(dirname(folder), named)];
  return places.some((at) => existsSync(at) || globSync(at).length > 0);
}
