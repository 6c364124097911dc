import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hostEnvironment } from '../../local/host-environment.ts';
import { installOnce } from '../../local/install-once.ts';
import { pythonVersion } from '../../local/python.ts';
import { installWheels } from '../../local/wheels.ts';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const report = (line: string) => process.stderr.write(`${line}\n`);

/** A program's output, and how it ended. */
export interface Ran {
  code: number | null;
  output: string;
}

export function run(program: string, args: readonly string[], options: { cwd: string; path?: string }) {
  const { cwd, path } = options;
  const env = { ...hostEnvironment(), ...(path === undefined ? {} : { PYTHONPATH: path }), NO_COLOR: '1' };
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-50_000);
    });
  return new Promise<Ran>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}

/**
 * The TypeScript generators, in a separate folder: they need a TypeScript with the JavaScript API, which the
 * service's version no longer has, and npm would install one version per tree.
 */
export function installNpmGenerators(): Promise<string> {
  const files = ['package.json', 'package-lock.json'];
  const content = files.map((name) => readFileSync(here(name), 'utf8')).join('');
  const installation = {
    ...{ prefix: 'client-generators-npm-', content },
    ...{ what: "generators of TypeScript's clients", size: 'about 55 MB' },
  };
  return installOnce(installation, report, async (folder) => {
    mkdirSync(folder);
    for (const name of files) copyFileSync(here(name), join(folder, name));
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    const { code, output } = await run('npm', args, { cwd: folder });
    if (code !== 0) throw new Error(`npm could not install the generators of clients:\n${output}`);
  });
}

export function installPythonGenerator(): Promise<string> {
  return installWheels({
    environment: hostEnvironment(),
    report,
    wheels: {
      requirements: here('requirements.txt'),
      prefix: 'client-generators-python-',
      what: "generator of Python's clients",
      size: 'about 25 MB',
      of: pythonVersion("generator of Python's clients"),
    },
  });
}
