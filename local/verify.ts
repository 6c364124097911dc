import { parseArgs } from 'node:util';
import { readEnvironment, storesConfig, storesEnvironment } from '../data/stores-config.ts';
import { verify } from '../service/backup/verify.ts';
import { runCommand } from './command.ts';
import { commandEnvironment } from './command-environment.ts';

const usage = 'Usage: npm run --silent verify -- [FOLDER/TIME] [--hashes PERCENT]';

/**
 * Compares database, bucket and optionally a backup, and ends with 1 if anything is missing or differs.
 * `--hashes` reads that share of the backup's objects and compares their content; 100 is all of them.
 */
async function main(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { hashes: { type: 'string', default: '1' } },
    allowPositionals: true,
  });
  const percent = Number(values.hashes);
  if (positionals.length > 1 || !(percent >= 0 && percent <= 100)) throw new Error(usage);
  const config = storesConfig(readEnvironment(storesEnvironment, await commandEnvironment()));
  const found = await verify(config, { folder: positionals[0], hashes: percent / 100 });
  const { faults, faultCount, ...counts } = found;
  for (const fault of faults) process.stdout.write(`${fault}\n`);
  if (faultCount > faults.length) process.stdout.write(`… and ${faultCount - faults.length} more.\n`);
  process.stdout.write(`${JSON.stringify({ ...counts, faults: faultCount })}\n`);
  if (faultCount > 0) throw new Error(`${faultCount} ${faultCount === 1 ? 'fault' : 'faults'} found.`);
}

await runCommand(main);
