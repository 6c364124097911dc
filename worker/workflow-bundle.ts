import { createHash } from 'node:crypto';
import { constants, existsSync, globSync } from 'node:fs';
import { access, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, type Logger } from '@temporalio/worker';

const pathOf = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));
const workflowsDir = pathOf('workflows/');
/** The usual place for what is made from sources. */
export const bundleCacheDir = pathOf('node_modules/.cache/workflow-bundles');

/**
 * The file with the code of all workflows. Bundling takes two seconds of a start and leaves the bundler in
 * memory, so the bundle is kept under a name that changes with everything it is made from: where one of these
 * folders has it, else in the first that can be written.
 */
export async function keptWorkflowBundle(folders: readonly string[], logger?: Logger): Promise<string> {
  const name = `${await sourceHash()}.js`;
  const known = folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
  if (known !== undefined) return known;
  const folder = await firstWritable(folders);
  const file = join(folder, name);
  const outdated = (await readdir(folder)).filter((entry) => entry.endsWith('.js'));
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(workflowsDir, 'index.ts'),
    workflowInterceptorModules: [join(workflowsDir, 'trace-context.ts')],
    ...(logger === undefined ? {} : { logger }),
  });
  // Another worker may write the same at the same time.
  const partial = `${file}.${process.pid}`;
  await writeFile(partial, code);
  await rename(partial, file);
  await Promise.all(outdated.map((entry) => rm(join(folder, entry), { force: true })));
  return file;
}

async function firstWritable(folders: readonly string[]): Promise<string> {
  const refusals: unknown[] = [];
  for (const folder of folders) {
    try {
      await mkdir(folder, { recursive: true });
      await access(folder, constants.W_OK);
      return folder;
    } catch (error) {
      refusals.push(error);
    }
  }
  throw new AggregateError(refusals, `The workflow bundle can't be written to ${folders.join(', ')}.`);
}

async function sourceHash(): Promise<string> {
  const sdk = await readFile(fileURLToPath(import.meta.resolve('@temporalio/worker/package.json')), 'utf8');
  const { version } = JSON.parse(sdk) as { version: string };
  const hash = createHash('sha256').update(`${process.version} ${version}`);
  for (const path of globSync('**/*.ts', { cwd: workflowsDir }).sort())
    hash.update(`\n${path}\n`).update(await readFile(join(workflowsDir, path)));
  return hash.digest('hex').slice(0, 32);
}
