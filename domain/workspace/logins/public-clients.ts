import { newId } from '../../../data/ids.ts';
import type { Database } from '../../../data/postgres/client.ts';
import { lockByName } from '../../../data/postgres/locks.ts';
import { limits } from '../limits/limits.ts';
import { refuseBeyond } from '../limits/refuse.ts';

/** A client without a secret, which acts for a person who approved it. */
export interface PublicClient {
  id: string;
  /** Shown to the person who decides. */
  name: string;
  /** Where authorization codes are sent; a path that begins with `/` is one of this service. */
  redirectUris: readonly string[];
  /** Any path of a loopback address: a program on the person's own computer. */
  takesLoopback?: boolean;
  /** A part of this service: nobody is asked whether it may act for them. */
  isOwn?: boolean;
  /** Nobody vouches for its name. */
  isSelfRegistered?: boolean;
}

const builtIn: readonly PublicClient[] = [
  { id: 'cli', name: 'the command line', redirectUris: [], takesLoopback: true },
  { id: 'console', name: 'the console of this service', redirectUris: ['/console/callback'], isOwn: true },
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
    .selectFrom('public_clients')
    .select(['id', 'name', 'redirect_uris'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row && { id: row.id, name: row.name, redirectUris: row.redirect_uris, isSelfRegistered: true };
}

/** Keeps a registered client, because a person approved it or it got tokens. */
export async function keepPublicClient(db: Database, id: string): Promise<void> {
  if (!id.startsWith('pub_')) return;
  await db.updateTable('public_clients').set({ last_used_at: new Date() }).where('id', '=', id).execute();
}

/** Letters of other scripts that look like one of Latin. */
const lookalikes: Readonly<Record<string, string>> = Object.fromEntries(
  ['аa', 'вb', 'сc', 'ԁd', 'еe', 'һh', 'нh', 'іi', 'ӏl', 'јj', 'кk', 'мm', 'оo', 'рp', 'ѕs', 'тt', 'уy', 'хx']
    .concat(['αa', 'βb', 'εe', 'ηn', 'ιi', 'κk', 'νv', 'οo', 'ρp', 'τt', 'υu', 'χx', 'օo', 'ոn', 'սu'])
    .map((pair) => [pair[0]!, pair[1]!]),
);

/** What a name looks like: spaces, case, marks and lookalikes of other scripts are no difference. */
const plainName = (name: string) =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replaceAll(/./gu, (letter) => lookalikes[letter] ?? letter);

const scripts = [
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]*$/u,
  /^\p{Script=Cyrillic}*$/u,
  /^\p{Script=Greek}*$/u,
  /^\p{Script=Armenian}*$/u,
  /^\p{Script=Georgian}*$/u,
  /^\p{Script=Hebrew}*$/u,
  /^\p{Script=Arabic}*$/u,
  /^\p{Script=Devanagari}*$/u,
  /^\p{Script=Bengali}*$/u,
  /^\p{Script=Tamil}*$/u,
  /^\p{Script=Telugu}*$/u,
  /^\p{Script=Gujarati}*$/u,
  /^\p{Script=Gurmukhi}*$/u,
  /^\p{Script=Kannada}*$/u,
  /^\p{Script=Malayalam}*$/u,
  /^\p{Script=Thai}*$/u,
  /^\p{Script=Lao}*$/u,
  /^\p{Script=Khmer}*$/u,
  /^\p{Script=Myanmar}*$/u,
  /^\p{Script=Sinhala}*$/u,
  /^\p{Script=Ethiopic}*$/u,
  /^\p{Script=Tibetan}*$/u,
];

/** Whether the letters of a name are of one script, or of those that are written together. */
export function isOfOneScript(name: string): boolean {
  const letters = name.normalize('NFC').replace(/[^\p{L}]|[\p{Script=Common}\p{Script=Inherited}]/gu, '');
  return scripts.some((script) => script.test(letters));
}

/** Whether a name, or an id, is that of a built-in or configured client, which none may call itself. */
export function isTakenName(
  { publicClients }: Pick<PublicClientDeps, 'publicClients'>,
  name: string,
): boolean {
  const taken = [...builtIn, ...publicClients].flatMap((client) => [client.id, client.name]);
  return taken.some((takenName) => plainName(takenName) === plainName(name));
}

/**
 * Whether codes of the client may be sent there. An address is compared as text, except that a loopback
 * address may have any port (RFC 8252 §7.3), because a program gets a free one each time it starts.
 */
export function isRedirectUri(client: PublicClient, uri: string, serviceUrl: string): boolean {
  if (!isSpelledOut(uri)) return false;
  if (client.takesLoopback === true && isLoopback(uri)) return true;
  return client.redirectUris.some((registered) => {
    const whole = registered.startsWith('/') ? `${serviceUrl}${registered}` : registered;
    return whole === uri || (isLoopback(whole) && isLoopback(uri) && withoutPort(whole) === withoutPort(uri));
  });
}

/**
 * Only characters of an address (RFC 3986 §2). The parser of URLs drops line breaks, turns a backslash into
 * a slash and spells out other scripts; the address is sent as it was given.
 */
const isSpelledOut = (uri: string) => /^[!#-;=?-[\]_a-z~]+$/.test(uri);

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

/**
 * Whether a client may register this address: https with a host, loopback, or a scheme of its own, which is a
 * host's name in reverse (RFC 8252 §7.1). The page of approval shows the host or the scheme.
 */
export function isRegistrable(uri: string): boolean {
  const url = isSpelledOut(uri) ? URL.parse(uri) : null;
  if (url === null || !isPlain(url)) return false;
  const isWeb = /^https:\/\/[^/*]+(\/|$)/i.test(uri) && isHost(url.hostname);
  return isWeb || isLoopback(uri) || /^[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)+:$/.test(url.protocol);
}

const isHost = (name: string): boolean =>
  name.startsWith('[') || name.split('.').every((label) => /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(label));

/**
 * Registers a client (RFC 7591). Those that nobody used for 30 days are removed.
 *
 * @throws AppError conflict if there are too many, in all or from the same network
 */
export async function registerPublicClient(
  db: Database,
  given: Pick<PublicClient, 'name' | 'redirectUris'> & { addressGroup: string },
): Promise<PublicClient & { createdAt: Date }> {
  const { name, redirectUris, addressGroup } = given;
  return db.transaction().execute(async (transaction) => {
    // Serialises counting.
    await lockByName(transaction, 'public clients');
    const { total, ofGroup } = await transaction
      .selectFrom('public_clients')
      .select(({ fn }) => [
        fn.countAll<number>().as('total'),
        fn.countAll<number>().filterWhere('address_group', '=', addressGroup).as('ofGroup'),
      ])
      .executeTakeFirstOrThrow();
    refuseBeyond(limits.identity.publicClients, total);
    refuseBeyond(limits.identity.publicClientsOfNetwork, ofGroup);
    const row = await transaction
      .insertInto('public_clients')
      .values({ id: newId('pub'), name, redirect_uris: [...redirectUris], address_group: addressGroup })
      .returning(['id', 'created_at'])
      .executeTakeFirstOrThrow();
    return { id: row.id, name, redirectUris, isSelfRegistered: true, createdAt: row.created_at };
  });
}
