import { provisionOrganization } from '../domain/workspace/organizations/provision.ts';
import { commandEnvironment } from './command-environment.ts';

const usage = 'Usage: npm run --silent organizations -- create NAME';

/**
 * Adds an organization and prints its first client as JSON: in the database of DATABASE_URL, or without one
 * in the running stack of WORKSPACE_DATA_DIR.
 */
async function main(args: readonly string[]): Promise<void> {
  const [command, name = '', ...rest] = args;
  if (command !== 'create' || name.trim() === '' || rest.length > 0) throw new Error(usage);
  const { organizationId, clientId, clientSecret, ownerToken } = await provisionOrganization(
    await commandEnvironment(),
    { name },
  );
  process.stdout.write(
    `${JSON.stringify({ organizationId, clientId, clientSecret, ownerPath: `/owner/${ownerToken}` })}\n`,
  );
}

try {
  await main(process.argv.slice(2));
  // Open connections of the data layer must not keep a finished command alive.
  process.exit(0);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
