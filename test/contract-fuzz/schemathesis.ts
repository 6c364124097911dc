import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hostEnvironment, programEnvironment } from '../../local/host-environment.ts';
import type { LocalState } from '../../local/local-state.ts';
import { pythonVersion } from '../../local/python.ts';
import { installWheels } from '../../local/wheels.ts';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** One run of Schemathesis over the whole document. */
export interface FuzzRound {
  /** Comma separated. */
  phases: string;
  seed: number;
  /** Per operation, in the phases that draw at random. */
  examples: number;
}

export interface FuzzOutcome {
  exitCode: number;
  cases: number;
}

export type RunRound = (round: FuzzRound, signal: AbortSignal) => Promise<FuzzOutcome>;

/** Installs Schemathesis if it is missing, and returns a function that runs it against the stack. */
export async function prepareSchemathesis(
  { state, dataDir }: { state: LocalState; dataDir: string },
  report: (line: string) => void,
): Promise<RunRound> {
  const folder = await installWheels({
    environment: hostEnvironment(),
    report,
    wheels: {
      requirements: here('requirements.txt'),
      prefix: 'contract-fuzz-',
      what: 'contract fuzzer',
      size: 'about 45 MB',
      // Some of its wheels are for one version of Python.
      of: pythonVersion('contract fuzzer'),
    },
  });
  const env = {
    ...programEnvironment(),
    HOME: dataDir,
    PYTHONPATH: folder,
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONWARNINGS: 'ignore',
    NO_PROXY: '*',
    SCHEMATHESIS_HOOKS: here('hooks.py'),
    FUZZ_URL: state.apiUrl,
    FUZZ_CLIENT_ID: state.clientId,
    FUZZ_CLIENT_SECRET: state.clientSecret,
  };
  return (round, signal) =>
    // Its data of a run is removed with the stack.
    run(join(folder, 'bin', 'schemathesis'), argumentsOf(state, round), { cwd: dataDir, env, signal });
}

function argumentsOf(state: LocalState, { phases, seed, examples }: FuzzRound): string[] {
  return [
    'run',
    `${state.apiUrl}/openapi.json`,
    ...['--checks', 'all', '--phases', phases, '--seed', String(seed), '--max-examples', String(examples)],
    // One worker, so that a seed gives one sequence; and Python 3.11 cannot always parse in two threads.
    ...['--workers', '1', '--max-redirects', '0', '--request-timeout', '60', '--generation-database', 'none'],
    ...['--suppress-health-check', 'all', '--warnings', 'off', '--continue-on-failure', '--no-color'],
  ];
}

/** Runs it with its output shown, and counts the cases that it reports at its end. */
function run(
  program: string,
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv; signal: AbortSignal },
): Promise<FuzzOutcome> {
  return new Promise((resolve, reject) => {
    const child = spawn('python3', [program, ...args], { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      process.stdout.write(text);
      output = (output + text).slice(-20_000);
    });
    child.once('error', reject);
    child.once('close', (code) => {
      const cases = Number(/Test cases:\s+(\d+) generated/.exec(output)?.[1] ?? 0);
      resolve({ exitCode: code ?? 1, cases });
    });
  });
}
