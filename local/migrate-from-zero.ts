import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrateToLatest } from '../migrations/migrate.ts';
import { startPostgres } from './postgres.ts';

/** Checks that the migrations apply to an empty database, and that a second run finds nothing to do. */
async function main(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'workspace-migrations-'));
  const postgres = await startPostgres({
    dataDir: join(directory, 'postgres'),
    logFile: join(directory, 'postgres.log'),
  });
  try {
    const first = await migrateToLatest(postgres.databaseUrl);
    if (first.applied.length === 0) throw new Error('No migrations were applied to an empty database.');
    const second = await migrateToLatest(postgres.databaseUrl);
    if (second.applied.length > 0) {
      throw new Error(`A second run applied ${second.applied.join(', ')} again.`);
    }
    process.stdout.write(`Migrated from zero (${first.applied.length} applied, none twice).\n`);
  } finally {
    await postgres.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

await main();
