import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';

const pathOf = (module: string) => fileURLToPath(new URL(`../../workflows/${module}`, import.meta.url));

/** The workflows as a worker runs them, bundled once for all test files: each bundling would take seconds. */
export async function bundleWorkflows(file: string): Promise<void> {
  const ignored = () => undefined;
  const { code } = await bundleWorkflowCode({
    workflowsPath: pathOf('index.ts'),
    workflowInterceptorModules: [pathOf('trace-context.ts')],
    logger: { log: ignored, trace: ignored, debug: ignored, info: ignored, warn: ignored, error: ignored },
  });
  await writeFile(file, code);
}

/** What the run's workers are given. */
export function workflowBundle(): { codePath: string } {
  const codePath = process.env['WORKFLOW_BUNDLE'];
  if (codePath === undefined) throw new Error('WORKFLOW_BUNDLE is not set: run tests with npm test.');
  return { codePath };
}
