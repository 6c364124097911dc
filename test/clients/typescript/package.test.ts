import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { version } from '../../../clients/typescript/src/version.ts';
import { clientsFolder, makeTypes, ran } from '../../generators/generate.ts';
import { useWorkspace } from '../../support/workspace.ts';

/** The package as it would be published. */
const workspace = useWorkspace();
const root = fileURLToPath(new URL('../../..', import.meta.url));
const source = join(root, 'clients/typescript');
const schema = join(source, 'src/schema.gen.ts');

let folder: string;
beforeAll(async () => {
  const { body } = await workspace.call('GET', '/openapi.json');
  folder = await clientsFolder(JSON.stringify(withoutFailures(body)));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Refusals are thrown, so they need no types; with examples they are three quarters of the document. */
function withoutFailures(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withoutFailures);
  if (typeof part !== 'object' || part === null) return part;
  const kept = Object.entries(part).filter(
    ([key, value]) =>
      !/^[45]\d\d$/.test(key) && !((key === 'examples' || key === 'example') && !isSchema(value)),
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutFailures(value)]));
}

/** A property may be called `example`. */
const isSchema = (value: unknown) => typeof value === 'object' && value !== null && 'type' in value;

/** What is not there, and headers of any name, need no lines: they are a third of what the generator writes. */
const withoutAbsent = (types: string): string =>
  types
    .replace(/^ +\w+\?: never;\n/gm, '')
    .replace(/^ +headers: \{\n +\[name: string\]: unknown;\n +\};\n/gm, '')
    .replace(/^ +parameters: \{\n +\};\n/gm, '');

/** `UPDATE_CLIENTS=1` writes them. */
test('its types are those of the served document', async () => {
  // What has a default may be left out.
  await makeTypes(folder, '--default-non-nullable', 'false');
  const made = withoutAbsent(await readFile(join(folder, 'schema.ts'), 'utf8'));
  if (process.env['UPDATE_CLIENTS'] !== undefined) await writeFile(schema, made);
  expect(await readFile(schema, 'utf8')).toBe(made);
});

test('its version, and that of the command line, are those of the served document', async () => {
  const { body } = await workspace.call('GET', '/openapi.json');
  expect(version).toBe(body.info.version);
  for (const name of ['typescript', 'cli'])
    expect(JSON.parse(await readFile(join(root, 'clients', name, 'package.json'), 'utf8')).version).toBe(
      version,
    );
});

test('it is built, and what is built is a program of Node', async () => {
  const built = join(folder, 'client');
  await cp(source, built, { recursive: true, filter: (path) => !/node_modules|dist$/.test(path) });
  await mkdir(join(built, 'node_modules'));
  await symlink(join(root, 'node_modules/openapi-fetch'), join(built, 'node_modules/openapi-fetch'));
  await ran(built, 'node', [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.json']);
  await writeFile(
    join(built, 'use.mjs'),
    `import * as client from './dist/index.js'; console.log(Object.keys(client).sort().join(' '));`,
  );
  const said = await ran(built, 'node', ['use.mjs']);
  expect(said.trim().split(' ')).toEqual(
    expect.arrayContaining(['createWorkspace', 'follow', 'ingest', 'uploadFile']),
  );
});
