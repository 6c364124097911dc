import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installNpmGenerators, installPythonGenerator, run } from '../generators/install.ts';
import { useWorkspace } from '../support/workspace.ts';

/** Clients generated from the document with common generators must compile. */
const workspace = useWorkspace();
const root = fileURLToPath(new URL('../..', import.meta.url));
/** Installs the generators if they are missing. */
const timeout = 600_000;

type Operations = Record<string, Record<string, { operationId: string }>>;
let folder: string;
let names: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'workspace-clients-'));
  const { text, body } = await workspace.call('GET', '/openapi.json');
  await writeFile(join(folder, 'openapi.json'), text);
  const paths = Object.values(body.paths as Operations);
  names = paths.flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId)).sort();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function ran(program: string, args: readonly string[], path?: string): Promise<string> {
  const { code, output } = await run(program, args, { cwd: folder, ...(path === undefined ? {} : { path }) });
  expect(code, `${program} ${args.join(' ')}\n${output}`).toBe(0);
  return output;
}

/** @throws if the service's own TypeScript rejects the files */
async function compiled(...files: string[]): Promise<void> {
  const config = {
    compilerOptions: {
      ...{ strict: true, noEmit: true, skipLibCheck: true, types: [] },
      ...{
        target: 'es2022',
        module: 'esnext',
        moduleResolution: 'bundler',
        lib: ['es2023', 'dom', 'dom.iterable'],
      },
    },
    files,
  };
  const name = `tsconfig.${files[0]}.json`;
  await writeFile(join(folder, name), JSON.stringify(config));
  await ran('node', [join(root, 'node_modules/typescript/bin/tsc'), '-p', name]);
}

test('no schema of the document is a bare true or false, which generators stop at', async () => {
  const document: unknown = JSON.parse(await readFile(join(folder, 'openapi.json'), 'utf8'));
  expect(bareSchemas(document, [])).toEqual([]);
});

/** Keys that contain schemas: in maps and in lists of them. */
function bareSchemas(part: unknown, at: string[]): string[] {
  if (typeof part !== 'object' || part === null) return [];
  const isMapOrList = ['properties', 'patternProperties', '$defs', 'allOf', 'anyOf', 'oneOf'].includes(
    at.at(-1)!,
  );
  return Object.entries(part).flatMap(([key, value]) => {
    const isBare = typeof value === 'boolean' && (isMapOrList || ['items', 'not', 'schema'].includes(key));
    return isBare ? [[...at, key].join('/')] : bareSchemas(value, [...at, key]);
  });
}

test('alternatives of a body are whole objects, and each has only what it takes', async () => {
  const { body } = await workspace.call('GET', '/openapi.json');
  const schemaOf = (path: string) => body.paths[path].post.requestBody.content['application/json'].schema;
  const shapes = (path: string) =>
    schemaOf(path).oneOf.map(
      (one: { properties: object; required: string[]; additionalProperties: unknown }) => [
        Object.keys(one.properties).sort().join(' '),
        [...one.required].sort().join(' '),
        one.additionalProperties,
      ],
    );
  expect(shapes('/v1/projects/{project_id}/reports')).toEqual([
    ['content title', 'content title', false],
    ['effort model prompt title', 'prompt', false],
  ]);
  const [, byId] = schemaOf('/v1/table-imports').oneOf;
  expect(byId.properties).not.toHaveProperty('table_name');
  expect(byId.properties.mode).toEqual({ type: 'string', enum: ['replace', 'append'] });
});

test('openapi-typescript takes the document, and its types compile', { timeout }, async () => {
  const tools = await installNpmGenerators();
  const program = join(tools, 'node_modules/openapi-typescript/bin/cli.js');
  await ran('node', [program, 'openapi.json', '-o', 'schema.ts']);
  await writeFile(
    join(folder, 'use-schema.ts'),
    useOf(
      "paths['/v1/projects/{project_id}/reports']['post']['requestBody']['content']['application/json']",
      'paths',
      './schema',
    ),
  );
  await compiled('use-schema.ts', 'schema.ts');
  const text = await readFile(join(folder, 'schema.ts'), 'utf8');
  for (const name of names) expect(text).toContain(`operations["${name}"]`);
});

test('@hey-api/openapi-ts takes the document, and its client compiles', { timeout }, async () => {
  const tools = await installNpmGenerators();
  const program = join(tools, 'node_modules/@hey-api/openapi-ts/bin/run.js');
  await ran('node', [program, '-i', 'openapi.json', '-o', 'hey', '--no-log-file']);
  await writeFile(
    join(folder, 'use-hey.ts'),
    useOf("CreateReportData['body']", 'CreateReportData', './hey/types.gen'),
  );
  await compiled('use-hey.ts', 'hey/index.ts', 'hey/sdk.gen.ts');
  const text = await readFile(join(folder, 'hey/sdk.gen.ts'), 'utf8');
  for (const name of names) expect(text).toContain(`export const ${name} = `);
});

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
  const tools = await installPythonGenerator();
  await writeFile(join(folder, 'config.json'), JSON.stringify({ post_hooks: [] }));
  const args = [
    '-m',
    'openapi_python_client',
    'generate',
    '--path',
    'openapi.json',
    '--config',
    'config.json',
  ];
  const said = await ran('python3', [...args, '--output-path', 'workspace_client', '--meta', 'none'], tools);
  // The generator omits what it cannot generate, and lists that at the end.
  expect(said).not.toContain('will not be generated');
  const script = `
import importlib, pkgutil, workspace_client
for module in pkgutil.walk_packages(workspace_client.__path__, 'workspace_client.'):
    importlib.import_module(module.name)
`;
  await ran('python3', ['-c', script], `${tools}:${folder}`);
  const made = await readdir(join(folder, 'workspace_client/api'), { recursive: true });
  const modules = made
    .map((file) => /(\w+)\.py$/.exec(file)?.[1])
    .filter((name) => name !== undefined && name !== '__init__');
  const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  expect(modules.sort()).toEqual(names.map(snakeCase).sort());
});
