import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientsFolder, compiled, makePythonClient, makeTypes, ran } from '../generators/generate.ts';
import { installNpmGenerators } from '../generators/install.ts';
import { useWorkspace } from '../support/workspace.ts';

/** Clients generated from the document with common generators must compile. */
const workspace = useWorkspace();
/** Installs the generators if they are missing. */
const timeout = 600_000;

type Operations = Record<string, Record<string, { operationId: string }>>;
let folder: string;
let names: string[];

beforeAll(async () => {
  const { text, body } = await workspace.call('GET', '/openapi.json');
  folder = await clientsFolder(text);
  const paths = Object.values(body.paths as Operations);
  names = paths.flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId)).sort();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('openapi-typescript takes the document, and its types compile', { timeout }, async () => {
  await makeTypes(folder);
  await writeFile(
    join(folder, 'use-schema.ts'),
    useOf(
      "paths['/v1/projects/{project_id}/reports']['post']['requestBody']['content']['application/json']",
      'paths',
      './schema',
    ),
  );
  await compiled(folder, 'use-schema.ts', 'schema.ts');
  const text = await readFile(join(folder, 'schema.ts'), 'utf8');
  for (const name of names) expect(text).toContain(`operations["${name}"]`);
  expect(text.split('\n').flatMap(withoutType)).toEqual([
    // RFC 7009 has an empty answer.
    '"application/json": Record<string, never>;',
  ]);
});

test('@hey-api/openapi-ts takes the document, and its client compiles', { timeout }, async () => {
  const tools = await installNpmGenerators();
  const program = join(tools, 'node_modules/@hey-api/openapi-ts/bin/run.js');
  await ran(folder, 'node', [program, '-i', 'openapi.json', '-o', 'hey', '--no-log-file']);
  await writeFile(
    join(folder, 'use-hey.ts'),
    useOf("CreateReportData['body']", 'CreateReportData', './hey/types.gen'),
  );
  await compiled(folder, 'use-hey.ts', 'hey/index.ts', 'hey/sdk.gen.ts');
  const text = await readFile(join(folder, 'hey/sdk.gen.ts'), 'utf8');
  for (const name of names) expect(text).toContain(`export const ${name} = `);
});

/** The line, if it has a map that can have no key, or alternatives of which one takes anything. */
const withoutType = (line: string): string[] =>
  /^ .*(?:\| unknown\b|\bRecord<string, never>)/.test(line) && !line.trimStart().startsWith('*')
    ? [line.trim()]
    : [];

/** A program that makes the compiler print the type of a report's body. */
const useOf = (type: string, imported: string, from: string) => `
import type { ${imported} } from '${from}';
type Body = ${type};
export const written: Body = { title: 'Sales', content: '# Sales' };
export const asked: Body = { prompt: 'Sales by month', model: 'offline' };
// @ts-expect-error: it is written, or asked for.
export const neither: Body = { title: 'Sales' };
`;

test('openapi-python-client takes the document, and every module of its client is imported', {
  timeout,
}, async () => {
  const { warnings, path } = await makePythonClient(folder);
  expect(warnings).toEqual([
    // It takes no text as a body; of the two bodies that write a file, it has the one in JSON.
    'WARNING parsing PUT /v1/projects/{project_id}/files/content within files. Unsupported content type text/csv',
  ]);
  const script = `
import importlib, pkgutil, workspace_client
for module in pkgutil.walk_packages(workspace_client.__path__, 'workspace_client.'):
    importlib.import_module(module.name)
`;
  await ran(folder, 'python3', ['-c', script], path);
  const made = await readdir(join(folder, 'workspace_client/api'), { recursive: true });
  const modules = made
    .map((file) => /(\w+)\.py$/.exec(file)?.[1])
    .filter((name) => name !== undefined && name !== '__init__');
  const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  expect(modules.sort()).toEqual(names.map(snakeCase).sort());
});
