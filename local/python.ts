import { execFileSync } from 'node:child_process';

/** The version of python3, on which some wheels depend. */
export function pythonVersion(what: string): string {
  const script = 'import sys; print("%d.%d" % sys.version_info[:2])';
  const version = execFileSync('python3', ['-c', script], { encoding: 'utf8' }).trim();
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < 3 || (major === 3 && minor < 11))
    throw new Error(`The ${what} needs Python 3.11 or newer; python3 is ${version}.`);
  return version;
}
