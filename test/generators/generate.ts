import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { installNpmGenerators, installPythonGenerator, run } from './install.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A new folder with the document, for the clients that are generated from it. */
export async function clientsFolder(document: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'workspace-clients-'));
  await writeFile(join(folder, 'openapi.json'), document);
  return folder;
}

/** What a program said, which must have succeeded. */
export async function ran(
  folder: string,
  program: string,
  args: readonly string[],
  path?: string,
): Promise<string> {
  const { code, output } = await run(program, args, { cwd: folder, ...(path === undefined ? {} : { path }) });
  expect(code, `${program} ${args.join(' ')}\n${output}`).toBe(0);
  return output;
}

/** @throws if the service's own TypeScript rejects the files */
export async function compiled(folder: string, ...files: string[]): Promise<void> {
  const config = {
    compilerOptions: {
      ...{ strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true },
      ...{ types: ['node'], typeRoots: [join(root, 'node_modules/@types')] },
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
  await ran(folder, 'node', [join(root, 'node_modules/typescript/bin/tsc'), '-p', name]);
}

/** openapi-typescript's `schema.ts`. */
export async function makeTypes(folder: string, ...flags: string[]): Promise<void> {
  const tools = await installNpmGenerators();
  const program = join(tools, 'node_modules/openapi-typescript/bin/cli.js');
  await ran(folder, 'node', [program, 'openapi.json', '-o', 'schema.ts', ...flags]);
}

/**
 * openapi-python-client's package `workspace_client`; what the generator warned of, and the path on which
 * Python finds the package and what it needs.
 */
export async function makePythonClient(folder: string): Promise<{ warnings: string[]; path: string }> {
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
  const said = await ran(
    folder,
    'python3',
    [...args, '--output-path', 'workspace_client', '--meta', 'none'],
    tools,
  );
  return { warnings: warningsIn(said), path: `${tools}:${folder}` };
}

/** Each with the first line that follows it, which has the reason; the rest quotes the document. */
function warningsIn(said: string): string[] {
  const lines = said.split('\n').map((line) => line.trim());
  return lines.flatMap((line, at) => {
    if (!/^(?:WARNING|ERROR|Unable to)/.test(line)) return [];
    const reason = lines.slice(at + 1).find((next) => next !== '');
    return [`${line} ${reason}`];
  });
}
