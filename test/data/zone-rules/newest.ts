import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { hostEnvironment } from '../../../local/host-environment.ts';
import { installWheels } from '../../../local/wheels.ts';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** The folder of the newest time zone database's files. @throws where it cannot be installed */
export async function newestZones(): Promise<string> {
  const folder = await installWheels({
    environment: hostEnvironment(),
    report: (line) => process.stderr.write(`${line}\n`),
    wheels: {
      requirements: here('requirements.txt'),
      prefix: 'zones-',
      what: 'time zone database',
      size: 'about 1 MB',
    },
  });
  return join(folder, 'tzdata/zoneinfo');
}

/** That a zone's clocks show `offset` seconds more than UTC from the instant `at` on, in seconds. */
export type Transition = readonly [zone: string, at: number, offset: number];

/** As Python reads the files: with each zone's offset at the start, then its changes until the end. */
export async function transitionsOf(folder: string, fromMs: number, toMs: number): Promise<Transition[]> {
  const args = [here('transitions.py'), folder, String(fromMs / 1_000), String(toMs / 1_000)];
  const { stdout } = await promisify(execFile)('python3', args, { maxBuffer: 64 * 1024 * 1024 });
  return JSON.parse(stdout) as Transition[];
}

/** Instants of each zone with the offset that it has then: around each change, and each month between. */
export function samplesOf(transitions: readonly Transition[], toMs: number): Transition[] {
  const month = 30 * 86_400;
  return transitions.flatMap(([zone, at, offset], index): Transition[] => {
    const [nextZone, nextAt = 0] = transitions[index + 1] ?? [];
    const end = nextZone === zone ? nextAt : toMs / 1_000;
    const between = Array.from(
      { length: Math.floor((end - 1 - at) / month) },
      (_, i) => at + (i + 1) * month,
    );
    return [at, ...between, end - 1].map((instant) => [zone, instant, offset]);
  });
}
