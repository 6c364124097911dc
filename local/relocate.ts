import { readEnvironment, storesConfig, storesEnvironment } from '../data/stores-config.ts';
import { relocate } from '../service/backup/relocate.ts';
import { runCommand } from './command.ts';
import { hostEnvironment } from './host-environment.ts';

/** Makes every lake use the bucket of S3_BUCKET, to which its objects were copied. */
async function main(args: readonly string[]): Promise<void> {
  if (args.length > 0) throw new Error('Usage: npm run --silent relocate');
  const config = storesConfig(readEnvironment(storesEnvironment, hostEnvironment()));
  const { bucket } = config.objectStore;
  const moved = await relocate(config, ({ organizationId, bucket: from }) =>
    process.stdout.write(`${organizationId}: from ${from} to ${bucket}\n`),
  );
  process.stdout.write(
    `Moved ${moved} lakes. Run \`npm run verify\` before you start the API and the worker.\n`,
  );
}

await runCommand(main);
