import { createDatabase, type Database } from '../data/postgres/client.ts';
import { provisionOrganization } from '../domain/workspace/organizations/provision.ts';
import {
  allOrganizations,
  setSuspended,
  showOrganization,
} from '../domain/workspace/organizations/suspension.ts';
import { commandEnvironment } from './command-environment.ts';

const usage = `Usage: npm run --silent organizations -- create NAME
       npm run --silent organizations -- list
       npm run --silent organizations -- show | suspend | resume ID`;

const print = (value: object): void => {
  process.stdout.write(`${JSON.stringify(value)}\n`);
};

/**
 * Adds, lists, shows, suspends and resumes organizations, and prints each as a line of JSON: in the database
 * of DATABASE_URL, or without one in the running stack of WORKSPACE_DATA_DIR.
 */
async function main([command, argument = '', ...rest]: readonly string[]): Promise<void> {
  const hasArgument = argument.trim() !== '';
  if (rest.length > 0 || hasArgument === (command === 'list')) throw new Error(usage);
  const environment = await commandEnvironment();
  if (command === 'create') return create(environment, argument);
  const url = environment['DATABASE_URL'] ?? '';
  const { db } = createDatabase({ url, maxConnections: 1, applicationName: 'organizations' });
  await run(db, command, argument);
}

async function create(environment: NodeJS.ProcessEnv, name: string): Promise<void> {
  const made = await provisionOrganization(environment, { name });
  const { organizationId, clientId, clientSecret, ownerToken } = made;
  print({ organizationId, clientId, clientSecret, ownerPath: `/owner/${ownerToken}` });
}

async function run(db: Database, command: string | undefined, id: string): Promise<void> {
  switch (command) {
    case 'list':
      for await (const organization of allOrganizations(db)) print(organization);
      return;
    case 'show':
      return print(await showOrganization(db, id));
    case 'suspend':
    case 'resume':
      return print(await setSuspended(db, id, command === 'suspend'));
    default:
      throw new Error(usage);
  }
}

try {
  await main(process.argv.slice(2));
  // Open connections of the data layer must not keep a finished command alive.
  process.exit(0);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
