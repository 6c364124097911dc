import { readEnvironment, storesConfig, storesEnvironment } from '../data/stores-config.ts';
import { restoreBackup } from '../service/backup/restore.ts';
import { runCommand } from './command.ts';
import { hostEnvironment } from './host-environment.ts';

const usage = 'Usage: npm run --silent restore -- FOLDER/TIME';

/** Restores a backup into the empty database of DATABASE_URL and the empty bucket of S3_BUCKET. */
async function main([folder, ...rest]: readonly string[]): Promise<void> {
  if (folder === undefined || rest.length > 0) throw new Error(usage);
  // Never into a local stack, which is not empty.
  const config = storesConfig(readEnvironment(storesEnvironment, hostEnvironment()));
  const backup = await restoreBackup(config, folder, (text) => process.stderr.write(`${text}\n`));
  process.stdout.write(
    `Restored the backup of release ${backup.release} from ${backup.madeAt}. All automation is paused.\n` +
      'Run `npm run verify`, start the API and the worker, check that all is well, then run `npm run automation -- resume`.\n',
  );
}

await runCommand(main);
