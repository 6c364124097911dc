import type pg from 'pg';

/** The role of all sessions that serve: it owns nothing, so row-level security holds for it. */
export const serviceRole = 'workspace_service';

/**
 * Makes a new session the service's, by statements: poolers such as pgbouncer refuse or drop settings that
 * come with the connection.
 *
 * @param settings PostgreSQL's own, of the session
 * @throws Error if the session has another role, or one that row-level security doesn't hold for
 */
export async function becomeService(
  client: pg.ClientBase,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  await client.query(atOnce(`SET ROLE ${serviceRole}; ${setAll(settings)}`));
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
