import pg from 'pg';

/** The role of sessions that serve, where no other deployment of the cluster has taken the name. */
export const usualServiceRole = 'workspace_service';

/**
 * The role of all sessions that serve: the one that this database's row-level security is written for. It
 * owns nothing, so row-level security holds for it. Undefined before the first migration.
 */
export async function findServiceRole(client: Pick<pg.ClientBase, 'query'>): Promise<string | undefined> {
  const { rows } = await client.query<{ name: string }>(
    atOnce(
      `SELECT rolname AS name FROM pg_policy JOIN pg_roles ON pg_roles.oid = polroles[1]
       WHERE polrelid = to_regclass('organizations') AND polname = 'organization_isolation'`,
    ),
  );
  return rows[0]?.name;
}

/**
 * Makes a new session the service's, by statements: poolers such as pgbouncer refuse or drop settings that
 * come with the connection.
 *
 * @param settings PostgreSQL's own, of the session
 * @returns the role that it has now
 * @throws Error if the session has another role, or one that row-level security doesn't hold for
 */
export async function becomeService(
  client: pg.ClientBase,
  settings: Readonly<Record<string, string>> = {},
): Promise<string> {
  const serviceRole = (await findServiceRole(client)) ?? usualServiceRole;
  await client.query(atOnce(`SET ROLE ${pg.escapeIdentifier(serviceRole)}; ${setAll(settings)}`));
  const { rows } = await client.query<{ name: string; sees_all: boolean }>(
    atOnce(
      'SELECT rolname AS name, rolsuper OR rolbypassrls AS sees_all FROM pg_roles WHERE rolname = current_user',
    ),
  );
  const [role] = rows;
  if (role?.name !== serviceRole || role.sees_all)
    throw new Error(
      `The session has the role ${role?.name ?? 'of nobody'}, not ${serviceRole}. It isn't used.`,
    );
  return serviceRole;
}

/** Sets a new session's own settings. */
export async function prepare(
  client: pg.ClientBase,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  await client.query(atOnce(setAll(settings)));
}

/** Where no answer comes, the connection is given up: it would hold its place in the pool for ever. */
const atOnce = (text: string): pg.QueryConfig => ({ text, query_timeout: 5_000 }) as pg.QueryConfig;

const setAll = (settings: Readonly<Record<string, string>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `SET ${name} = '${value}'`)
    .join('; ');
