import { sql } from 'kysely';
import { AppError } from '../../../data/errors.ts';
import { newId } from '../../../data/ids.ts';
import type { Database } from '../../../data/postgres/client.ts';

/** A client without a secret, which acts for a person who approved it. */
export interface PublicClient {
  id: string;
  /** Shown to the person who decides. */
  name: string;
  /** Where authorization codes are sent; a path that begins with `/` is one of this service. */
  redirectUris: readonly string[];
  /** Any path of a loopback address: a program on the person's own computer. */
  takesLoopback?: boolean;
}

const builtIn: readonly PublicClient[] = [
  { id: 'cli', name: 'the command line', redirectUris: [], takesLoopback: true },
  { id: 'console', name: 'the console of this service', redirectUris: ['/console/callback'] },
];

export interface PublicClientDeps {
  db: Database;
  /** Those of the operator's configuration. */
  publicClients: readonly PublicClient[];
}

/** A public client by its id: built in, configured, or registered by itself. */
export async function findPublicClient(
  { db, publicClients }: PublicClientDeps,
  id: string,
): Promise<PublicClient | undefined> {
  const known = [...builtIn, ...publicClients].find((client) => client.id === id);
  if (known !== undefined || !id.startsWith('pub_')) return known;
  const row = await db
    .updateTable('public_clients')
    .set({ last_used_at: new Date() })
    .where('id', '=', id)
    .returning(['id', 'name', 'redirect_uris'])
    .executeTakeFirst();
  return row && { id: row.id, name: row.name, redirectUris: row.redirect_uris };
}

/**
 * Whether codes of the client may be sent there. An address is compared as text, except that a loopback
 * address may have any port (RFC 8252 §7.3), because a program gets a free one each time it starts.
 */
export function isRedirectUri(client: PublicClient, uri: string, serviceUrl: string): boolean {
  if (client.takesLoopback === true && isLoopback(uri)) return true;
  return client.redirectUris.some((registered) => {
    const whole = registered.startsWith('/') ? `${serviceUrl}${registered}` : registered;
    return whole === uri || (isLoopback(whole) && isLoopback(uri) && withoutPort(whole) === withoutPort(uri));
  });
}

const loopbackHosts = new Set(['127.0.0.1', '[::1]', 'localhost']);

function isLoopback(uri: string): boolean {
  const url = URL.parse(uri);
  return url?.protocol === 'http:' && loopbackHosts.has(url.hostname) && isPlain(url);
}

/** Without credentials and fragment, as RFC 6749 §3.1.2 requires. */
const isPlain = (url: URL) => url.username === '' && url.password === '' && !url.href.includes('#');

function withoutPort(uri: string): string {
  const url = new URL(uri);
  url.port = '';
  return url.href;
}

/** Whether a client may register this address: https, loopback, or a scheme of its own (RFC 8252 §7.1). */
export function isRegistrable(uri: string): boolean {
  const url = URL.parse(uri);
  if (url === null || !isPlain(url)) return false;
  return (
    url.protocol === 'https:' || isLoopback(uri) || /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(url.protocol)
  );
}

const maxRegistered = 1_000;

/**
 * Registers a client (RFC 7591). Those that nobody used for 30 days are removed.
 *
 * @throws AppError conflict if there are too many
 */
export async function registerPublicClient(
  db: Database,
  { name, redirectUris }: Pick<PublicClient, 'name' | 'redirectUris'>,
): Promise<PublicClient & { createdAt: Date }> {
  const { rows } = await sql<{ id: string; created_at: Date }>`
    INSERT INTO public_clients (id, name, redirect_uris)
    SELECT ${newId('pub')}, ${name}, ${[...redirectUris]}
    WHERE (SELECT count(*) FROM public_clients) < ${maxRegistered}
    RETURNING id, created_at`.execute(db);
  const [row] = rows;
  if (row === undefined)
    throw new AppError('conflict', `The service has ${maxRegistered} registered clients, which is the most.`);
  return { id: row.id, name, redirectUris, createdAt: row.created_at };
}
