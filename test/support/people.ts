import { hashSecret, newSecret } from '../../data/encryption.ts';
import { newId } from '../../data/ids.ts';
import type { CallOptions, TestClient, Workspace } from './workspace.ts';

const allScopes = ['agent:read', 'agent:write', 'tables:append'];

/** Adds a person to an organization, with a token of theirs. */
export async function personOf(
  workspace: Workspace,
  { organizationId }: TestClient,
  role: 'owner' | 'admin' | 'member',
  scopes: readonly string[] = allScopes,
) {
  const run = (statement: string, values: unknown[]) =>
    workspace.deps.lake.catalogPool.query(statement, values);
  const id = newId('usr');
  const email = `${id}@example.com`;
  await run('INSERT INTO users (organization_id, id, email, name, role) VALUES ($1, $2, $3, $4, $5)', [
    organizationId,
    id,
    email,
    role,
    role,
  ]);
  return { id, email, ...(await tokenOf(workspace, organizationId, id, scopes)) };
}

/** Gives people accounts, so that they count as those who can sign in. */
export async function openAccounts(workspace: Workspace, people: readonly { id: string }[]): Promise<void> {
  const run = (statement: string, values: unknown[]) =>
    workspace.deps.lake.catalogPool.query(statement, values);
  for (const { id } of people) {
    const accountId = newId('acc');
    await run('INSERT INTO accounts (id, email) SELECT $1, email FROM users WHERE id = $2', [accountId, id]);
    await run('UPDATE users SET account_id = $1 WHERE id = $2', [accountId, id]);
  }
}

/** A token of a person, with these scopes. */
export async function tokenOf(
  workspace: Workspace,
  organizationId: string,
  userId: string,
  scopes: readonly string[],
) {
  const token = newSecret('wat');
  await workspace.deps.lake.catalogPool.query(
    `INSERT INTO access_tokens (organization_id, id, token_hash, user_id, scopes, expires_at)
     VALUES ($1, $2, $3, $4, $5, now() + interval '1 hour')`,
    [organizationId, newId('tok'), hashSecret(token), userId, scopes],
  );
  const call: TestClient['call'] = (method, path, options: CallOptions = {}) =>
    workspace.call(method, path, {
      ...options,
      headers: { ...options.headers, authorization: `Bearer ${token}` },
    });
  return { token, call };
}

export type Person = Awaited<ReturnType<typeof personOf>>;
