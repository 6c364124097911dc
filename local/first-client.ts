import { join } from 'node:path';
import { z } from 'zod';
import { readJsonFile, writePrivateFile } from './private-file.ts';
import type { StackEnvironment } from './stack-environment.ts';

const firstClient = z.object({
  organizationId: z.string(),
  clientId: z.string(),
  clientSecret: z.string(),
  /** Of the page on which the owner makes an account; data directories of before have none. */
  ownerToken: z.string().optional(),
  /** The database that has this client: `local`, or host, port and name of another server's. */
  database: z.string(),
});

/** The client created with the first organization of a data directory. */
export type FirstClient = z.infer<typeof firstClient>;

/**
 * The first client; created and stored at the first start of a data directory, and again for a different
 * database.
 */
export async function ensureFirstClient(options: {
  dataDir: string;
  environment: StackEnvironment;
  isLocalDatabase: boolean;
}): Promise<FirstClient> {
  const path = join(options.dataDir, 'first-client.json');
  const database = options.isLocalDatabase ? 'local' : databaseName(options.environment.DATABASE_URL);
  const kept = firstClient.safeParse(readJsonFile(path));
  if (kept.success && kept.data.database === database) return kept.data;
  // Only a first start needs the data layer in this process, with its query engine.
  const { provisionOrganization } = await import('../domain/workspace/organizations/provision.ts');
  const provisioned = await provisionOrganization(options.environment, { name: 'Local workspace' });
  const made: FirstClient = { ...provisioned, database };
  writePrivateFile(path, `${JSON.stringify(made, null, 2)}\n`);
  return made;
}

function databaseName(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}
