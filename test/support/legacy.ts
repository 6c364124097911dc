import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Workspace } from './workspace.ts';

/** Runs the command that imports records of another system, as an operator does. */
export async function importLegacy(
  { databaseUrl }: Workspace,
  records: readonly object[],
): Promise<{ code: number; text: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'legacy-'));
  const file = join(folder, 'records.ndjson');
  writeFileSync(file, records.map((record) => JSON.stringify(record)).join('\n'));
  const environment = { ...process.env, DATABASE_URL: databaseUrl };
  try {
    const { stdout } = await promisify(execFile)(process.execPath, ['migrations/import-legacy.ts', file], {
      env: environment,
    });
    return { code: 0, text: stdout };
  } catch (error) {
    const { code, stderr } = error as { code: number; stderr: string };
    return { code, text: stderr };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
