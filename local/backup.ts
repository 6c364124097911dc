import { readEnvironment, storesConfig, storesEnvironment } from '../data/stores-config.ts';
import { makeBackup } from '../service/backup/make.ts';
import { runCommand } from './command.ts';
import { commandEnvironment } from './command-environment.ts';

const usage = 'Usage: npm run --silent backup -- FOLDER';

/**
 * Backs up the database and the bucket into a new folder below FOLDER while the service runs, and prints its
 * path.
 */
async function main([destination, ...rest]: readonly string[]): Promise<void> {
  if (destination === undefined || rest.length > 0) throw new Error(usage);
  const config = storesConfig(readEnvironment(storesEnvironment, await commandEnvironment()));
  const { folder, backup } = await makeBackup(config, destination, (text) =>
    process.stderr.write(`${text}\n`),
  );
  const { count, sizeBytes } = backup.objects;
  process.stderr.write(
    `${count} objects with ${sizeBytes} bytes. Keys: ${backup.keyIds.join(', ') || 'none'}.\n`,
  );
  process.stdout.write(`${folder}\n`);
}

await runCommand(main);
