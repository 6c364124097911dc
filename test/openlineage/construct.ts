import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hostEnvironment } from '../../local/host-environment.ts';
import { pythonVersion } from '../../local/python.ts';
import { installWheels } from '../../local/wheels.ts';
import { run } from '../generators/install.ts';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** The folder of OpenLineage's own client. @throws where it cannot be installed */
export function installOpenLineage(): Promise<string> {
  const what = "OpenLineage's own client";
  return installWheels({
    environment: hostEnvironment(),
    report: (line) => process.stderr.write(`${line}\n`),
    wheels: {
      requirements: here('requirements.txt'),
      prefix: 'openlineage-',
      what,
      size: 'about 2 MB',
      of: pythonVersion(what),
    },
  });
}

/**
 * The same events as OpenLineage's own classes make them, which are generated from the published schema; they
 * throw at what it does not have, and at what it requires.
 */
export async function constructed(client: string, events: readonly object[]): Promise<object[]> {
  const folder = await mkdtemp(join(tmpdir(), 'openlineage-'));
  try {
    await writeFile(join(folder, 'events.json'), JSON.stringify(events));
    const args = [here('construct.py'), 'events.json'];
    const { code, output } = await run('python3', args, { cwd: folder, path: client });
    if (code !== 0) throw new Error(`The events cannot be constructed:\n${output}`);
    return JSON.parse(output) as object[];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
