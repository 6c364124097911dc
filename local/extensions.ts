import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { extensionsFolder } from '../data/stores-config.ts';
import { hostEnvironment } from './host-environment.ts';
import { gatherExtensions, runPip } from './wheels.ts';

/**
 * Puts DuckDB's extensions into the folder that production processes load them from: the wheels of
 * requirements.txt, whose hashes pin what was examined. Needs python3 with pip.
 */
async function main(): Promise<void> {
  if (existsSync(extensionsFolder)) return;
  const folder = mkdtempSync(join(tmpdir(), 'extensions-'));
  try {
    const requirements = join(folder, 'requirements.txt');
    writeFileSync(requirements, ofExtensions());
    await runPip(folder, requirements, hostEnvironment(), "engine's extensions");
    gatherExtensions(folder);
    const partial = `${extensionsFolder}.${process.pid}`;
    cpSync(join(folder, 'duckdb'), partial, { recursive: true });
    renameSync(partial, extensionsFolder);
    process.stderr.write(`Installed the engine's extensions into ${extensionsFolder}.\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The requirements without the tools of the local stack: an entry and the lines of its hashes. */
function ofExtensions(): string {
  const all = readFileSync(fileURLToPath(new URL('requirements.txt', import.meta.url)), 'utf8');
  const entries = all.split(/\n(?=[a-z])/);
  return entries.filter((entry) => entry.startsWith('duckdb-extension-')).join('\n');
}

try {
  await main();
} catch (error) {
  const isOptional = process.argv.includes('--if-possible');
  process.stderr.write(`${(error as Error).message}\n`);
  if (isOptional)
    process.stderr.write(
      'Without these files, engines download their extensions from DuckDB when they start.\n',
    );
  process.exit(isOptional ? 0 : 1);
}
