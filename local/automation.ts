import { createDatabase } from '../data/postgres/client.ts';
import { readEnvironment, storesConfig, storesEnvironment } from '../data/stores-config.ts';
import {
  automationState,
  pauseAutomation,
  placeOf,
  resumeAutomation,
} from '../domain/workspace/pause/pause.ts';
import { runCommand } from './command.ts';
import { commandEnvironment } from './command-environment.ts';

const usage = 'Usage: npm run --silent automation -- status | pause | resume';

/** Pauses or resumes schedules, triggers and deliveries of all organizations, or says which it is. */
async function main([command, ...rest]: readonly string[]): Promise<void> {
  if (rest.length > 0 || !['status', 'pause', 'resume'].includes(command ?? '')) throw new Error(usage);
  const config = storesConfig(readEnvironment(storesEnvironment, await commandEnvironment()));
  const { db } = createDatabase({
    url: config.databaseUrl,
    maxConnections: 1,
    applicationName: 'automation',
  });
  if (command === 'pause') await pauseAutomation(db);
  if (command === 'resume') await resumeAutomation(db, placeOf(config.databaseUrl, config.objectStore));
  process.stdout.write(`${JSON.stringify(await automationState(db))}\n`);
}

await runCommand(main);
