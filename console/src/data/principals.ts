import { type components, items } from '../../../clients/typescript/src/index.ts';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';

export type Grant = components['schemas']['TableGrants']['grants'][number];

/** Somebody, or a program, whom a table may be opened to. */
export interface Principal {
  key: string;
  name: string;
  /** Of whom a grant is, without what it allows. */
  whose: { principal: 'everyone' } | { principal: 'user' | 'client'; id: string };
}

const labels = texts.table.grants;

export const keyOf = (grant: Principal['whose']): string =>
  grant.principal === 'everyone' ? 'everyone' : `${grant.principal} ${grant.id}`;

const pageAt = (cursor: string | undefined) => ({ limit: 200, ...(cursor === undefined ? {} : { cursor }) });

/** Everyone, the members that are no administrators, who need no grant, and the programs that can still sign in. */
async function allPrincipals(): Promise<Principal[]> {
  const found: Principal[] = [{ key: 'everyone', name: labels.everyone, whose: { principal: 'everyone' } }];
  const add = (principal: 'user' | 'client', id: string, name: string) => {
    const whose = { principal, id };
    found.push({ key: keyOf(whose), name, whose });
  };
  for await (const { id, name, email, role } of items((cursor) =>
    workspace.get('/v1/members', { params: { query: pageAt(cursor) } }),
  ))
    if (role === 'member') add('user', id, name === '' ? email : `${name} (${email})`);
  for await (const { clientId, name, revokedAt, admin } of items((cursor) =>
    workspace.get('/v1/auth/m2m/clients', { params: { query: pageAt(cursor) } }),
  ))
    if (revokedAt === null && !admin) add('client', clientId, labels.client(name));
  return found;
}

export const principalsQuery = { queryKey: ['principals'], queryFn: allPrincipals };
