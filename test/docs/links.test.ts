import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryDir } from '../../local/config.ts';

const documents = globSync('**/*.md', {
  cwd: repositoryDir,
  exclude: (path) => /(^|\/)(node_modules|\.\w[^/]*|dist)$/.test(path),
});
/** What is neither code nor a block of it. */
const textOf = (path: string) =>
  readFileSync(join(repositoryDir, path), 'utf8').replaceAll(/^```.*?^```|`[^`\n]*`/gms, '');

/** The names by which headings are reached, as GitHub makes them. */
function anchorsOf(path: string): string[] {
  const text = readFileSync(join(repositoryDir, path), 'utf8').replaceAll(/^```.*?^```/gms, '');
  const headings = [...text.matchAll(/^#{1,6} (.*)$/gm)].map(([, heading]) => heading!);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{Pc} -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Where a document leads to within the repository. */
const linksOf = (path: string): string[] =>
  [...textOf(path).matchAll(/\]\(([^()\s]+)\)/g)]
    .map(([, target]) => target!)
    .filter((target) => !/^[a-z]+:/.test(target));

test('every link of a document leads to a file, and to a heading of it', () => {
  expect(documents.length).toBeGreaterThan(50);
  const broken = documents.flatMap((path) =>
    linksOf(path).flatMap((link) => {
      const [target = '', anchor] = link.split('#');
      const file = target === '' ? path : relative(repositoryDir, join(repositoryDir, dirname(path), target));
      if (!existsSync(join(repositoryDir, file))) return [`${path}: ${link}`];
      return anchor === undefined || !file.endsWith('.md') || anchorsOf(file).includes(anchor)
        ? []
        : [`${path}: ${link} (no such heading)`];
    }),
  );
  expect(broken).toEqual([]);
});

test('every picture is shown by a document', () => {
  const shown = new Set(
    documents.flatMap((path) =>
      [
        ...readFileSync(join(repositoryDir, path), 'utf8').matchAll(
          /(?:\]\(|src(?:set)?=")([^()"\s]+\.(?:png|webp))/g,
        ),
      ].map(([, target]) => relative(repositoryDir, join(repositoryDir, dirname(path), target!))),
    ),
  );
  const pictures = globSync('docs/pictures/**/*.{png,webp}', { cwd: repositoryDir });
  expect(pictures.filter((picture) => !shown.has(picture))).toEqual([]);
});
