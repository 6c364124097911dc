import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestedProcess } from './process.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const workflows = fileURLToPath(new URL('../../workflows', import.meta.url));

const modules = globSync('processes/*.ts', { cwd: here })
  .sort()
  .map(async (file) => ((await import(join(here, file))) as { process: TestedProcess }).process);

/** Every file of `processes/`, by workflow type. */
export const processes: Readonly<Record<string, TestedProcess>> = Object.fromEntries(
  (await Promise.all(modules)).map((process) => [process.type, process]),
);

/** Every workflow type that a worker runs. */
export const workflowTypes: readonly string[] = globSync('*/*/workflow.ts', { cwd: workflows }).flatMap(
  (file) =>
    [...readFileSync(join(workflows, file), 'utf8').matchAll(/^export (?:async )?function (\w+)/gm)].map(
      ([, type]) => type!,
    ),
);
