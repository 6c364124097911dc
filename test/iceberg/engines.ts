import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { hostEnvironment } from '../../local/host-environment.ts';
import { pythonVersion } from '../../local/python.ts';
import { installWheels } from '../../local/wheels.ts';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const what = 'PyIceberg and the Iceberg extension of DuckDB';

/** The folder of both. @throws where they cannot be installed */
export function installEngines(): Promise<string> {
  return installWheels({
    environment: hostEnvironment(),
    report: (line) => process.stderr.write(`${line}\n`),
    wheels: {
      requirements: here('requirements.txt'),
      prefix: 'iceberg-',
      what,
      size: 'about 100 MB',
      of: pythonVersion(what),
    },
  });
}

/** Why an engine reads other rows than the service answers; null where they are the same. */
export interface Faults {
  pyiceberg: string | null;
  duckdb: string | null;
}

/** Both engines, which read tables by the catalog until they are closed. */
export function openEngines(folder: string, origin: string, token: string) {
  const child = spawn('python3', [here('compare.py'), origin, token, folder], {
    env: { ...hostEnvironment(), PYTHONPATH: folder },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async compare(table: string): Promise<Faults> {
      child.stdin.write(`${table}\n`);
      const { value, done } = await lines.next();
      if (done === true) throw new Error('The engines have ended.');
      return JSON.parse(value) as Faults;
    },
    close: () => child.stdin.end(),
  };
}
