import { z } from 'zod';
import { hashSecret, newSecret } from '../../../data/encryption.ts';
import { newId } from '../../../data/ids.ts';
import { createDatabase, inOrganization } from '../../../data/postgres/client.ts';
import { makeLink } from '../people/links.ts';

/** The service's data about an organization: listed among its tables, but never queryable. */
export const systemTableNames = [
  'sys_users',
  'sys_projects',
  'sys_files',
  'sys_table_grants',
  'sys_runs',
  'sys_query_history',
] as const;

export interface Provisioned {
  organizationId: string;
  clientId: string;
  clientSecret: string;
  /** Of `/owner/{token}`, the one-time page on which the owner makes an account. */
  ownerToken: string;
}

/**
 * Creates an organization with its owner and a first API client (all scopes, admin). The secret is returned
 * here and stored only as a hash. The organization's lake is created when first needed.
 */
export async function provisionOrganization(
  environment: NodeJS.ProcessEnv,
  input: { name: string; ownerEmail?: string },
): Promise<Provisioned> {
  const name = z.string().trim().min(1).max(255).parse(input.name);
  const { DATABASE_URL: url } = z.object({ DATABASE_URL: z.string().min(1) }).parse(environment);
  const { db } = createDatabase({ url, maxConnections: 1, applicationName: 'provisioning' });
  const organizationId = newId('org');
  const clientId = newId('cli');
  const clientSecret = newSecret('wcs');
  const userId = newId('usr');
  const email = input.ownerEmail ?? 'owner@localhost';
  let ownerToken = '';
  try {
    await inOrganization(db, organizationId, async (transaction) => {
      await transaction
        .insertInto('organizations')
        .values({ id: organizationId, name, slug: slugOf(name, organizationId) })
        .execute();
      await transaction
        .insertInto('users')
        .values({
          organization_id: organizationId,
          id: userId,
          email,
          name: 'Owner',
          role: 'owner',
        })
        .execute();
      const role = 'owner';
      const owner = { organizationId, kind: role, email, role, userId } as const;
      ownerToken = (await makeLink(transaction, owner)).secret.shown;
      await transaction
        .insertInto('api_clients')
        .values({
          organization_id: organizationId,
          id: clientId,
          name: 'First client',
          secret_hash: hashSecret(clientSecret),
          scopes: ['agent:read', 'agent:write', 'tables:append'],
          admin: true,
        })
        .execute();
      await transaction
        .insertInto('tables')
        .values(
          systemTableNames.map((table) => ({
            organization_id: organizationId,
            id: newId('tbl'),
            name: table,
            kind: 'system',
            status: 'ready',
          })),
        )
        .execute();
    });
  } finally {
    await db.destroy();
  }
  return { organizationId, clientId, clientSecret, ownerToken };
}

/** Readable, and made unique by the end of the id. */
function slugOf(name: string, id: string): string {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 48);
  return `${words === '' ? 'organization' : words}-${id.slice(-6)}`;
}
