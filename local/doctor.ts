import { readApiConfig } from '../api/config.ts';
import { examine } from '../service/doctor/examine.ts';
import { type Finding, reportOf } from '../service/doctor/finding.ts';
import { readWorkerConfig } from '../worker/config.ts';
import { runCommand } from './command.ts';
import { commandEnvironment } from './command-environment.ts';

/**
 * Looks at everything that an API and a worker with this environment need, and says what to do about what is
 * wrong. Exits with 1 if a check failed.
 */
async function main(): Promise<void> {
  const findings = await findingsIn(await commandEnvironment());
  process.stdout.write(`${reportOf(findings)}\n`);
  process.exit(findings.some(({ state }) => state === 'failed') ? 1 : 0);
}

/** Nothing else can be examined in an environment that cannot be read. */
async function findingsIn(environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  const check = 'Settings';
  try {
    readWorkerConfig(environment);
    const config = readApiConfig(environment);
    return [{ check, state: 'ok', found: 'all variables are valid' }, ...(await examine(config))];
  } catch (error) {
    const todo = 'Correct the variables named above. docs/operating/configure.md describes each of them.';
    return [{ check, state: 'failed', found: (error as Error).message, todo }];
  }
}

await runCommand(main);
