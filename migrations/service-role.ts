import type pg from 'pg';
import { findServiceRole, usualServiceRole } from '../data/postgres/session.ts';

/**
 * The name of the service's role in this database, and a migration's text with that name.
 *
 * Roles belong to the cluster. A deployment that connects as another role than the first one's gets a service
 * role of its own, named after the role that it connects as: with a shared one, each could read the other's
 * organizations.
 */
export async function chooseServiceRole(
  client: Pick<pg.Client, 'query' | 'escapeIdentifier'>,
): Promise<{ name: string; inside: (text: string) => string }> {
  const name = (await findServiceRole(client)) ?? (await newServiceRole(client));
  // Only what SQL takes without quotes, and in a literal: migrations name the role in both.
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(name))
    throw new Error(
      `The service's role would be ${client.escapeIdentifier(name)}. Connect as a role whose name has at most 55 characters, of a–z, 0–9 and _.`,
    );
  return { name, inside: (text) => text.replaceAll(usualServiceRole, name) };
}

async function newServiceRole(client: Pick<pg.Client, 'query'>): Promise<string> {
  const { rows } = await client.query<{ login: string; usual: boolean }>(
    `SELECT current_user AS login,
       coalesce((SELECT pg_has_role(current_user, oid, 'MEMBER WITH ADMIN OPTION') FROM pg_roles WHERE rolname = $1), true)
         AS usual`,
    [usualServiceRole],
  );
  const { login, usual } = rows[0]!;
  return usual ? usualServiceRole : `${login}_service`;
}
