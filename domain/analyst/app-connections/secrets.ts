import type { Cipher } from '../../../data/encryption.ts';
import { ValidationError, type ValidationFault } from '../../../data/errors.ts';
import { urlFault } from '../../../data/outgoing/outgoing.ts';
import { limits } from '../../workspace/limits/limits.ts';

/** Credentials for a server. */
export interface AppSecrets {
  token?: string;
  headers?: Record<string, string>;
  client_id?: string;
  client_secret?: string;
  token_url?: string;
  scope?: string;
}

/** Secrets as given in a request: null removes one; headers are changed one by one. */
export type SecretsChange = {
  [Key in Exclude<keyof AppSecrets, 'headers'>]?: string | null | undefined;
} & { headers?: Record<string, string | null> | null | undefined };

export interface SealedSecrets {
  sealed_secrets: Buffer;
  secret_keys: string[];
}

const textKeys = ['token', 'client_id', 'client_secret', 'token_url', 'scope'] as const;
const oauthKeys = ['client_id', 'client_secret', 'token_url'] as const;
const maxHeaders = limits.appConnections.headers.most;

/** Headers reserved for the connection or the protocol. */
const reservedHeaders = new Set([
  ...['host', 'connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'expect'],
  ...['content-length', 'content-type', 'content-encoding', 'accept', 'accept-encoding', 'last-event-id'],
]);
const reservedStarts = ['mcp-', 'proxy-', 'sec-'];

export function sealSecrets(cipher: Cipher, secrets: AppSecrets): SealedSecrets {
  return { sealed_secrets: cipher.seal(JSON.stringify(secrets)), secret_keys: keysOf(secrets) };
}

export function openSecrets(cipher: Cipher, sealed: Uint8Array): AppSecrets {
  return JSON.parse(cipher.open(sealed).toString('utf8')) as AppSecrets;
}

/** Names of the secrets that are set, with headers one by one. */
function keysOf({ headers = {}, ...texts }: AppSecrets): string[] {
  const names = Object.keys(headers).map((name) => `headers.${name}`);
  return [...textKeys.filter((key) => texts[key] !== undefined), ...names].sort();
}

/**
 * Merges a change into secrets, key by key.
 *
 * @throws ValidationError where what comes out does not hold together
 */
export function changedSecrets(before: AppSecrets, change: SecretsChange): AppSecrets {
  const { headers, ...texts } = change;
  const merged: AppSecrets = { ...before };
  for (const key of textKeys) {
    const value = texts[key];
    if (value === null) delete merged[key];
    else if (value !== undefined) merged[key] = value;
  }
  if (headers === null) delete merged.headers;
  else if (headers !== undefined) merged.headers = changedHeaders(before.headers ?? {}, headers);
  if (Object.keys(merged.headers ?? {}).length === 0) delete merged.headers;
  const faults = faultsOf(merged);
  if (faults.length > 0) throw new ValidationError(faults);
  return merged;
}

/** Header names are compared ignoring case, as in HTTP. */
function changedHeaders(before: Record<string, string>, change: Record<string, string | null>) {
  const merged = new Map(Object.entries(before).map(([name, value]) => [name.toLowerCase(), value]));
  for (const [name, value] of Object.entries(change)) {
    if (value === null) merged.delete(name.toLowerCase());
    else merged.set(name.toLowerCase(), value);
  }
  return Object.fromEntries(merged);
}

function faultsOf(secrets: AppSecrets): ValidationFault[] {
  const names = Object.keys(secrets.headers ?? {});
  const given = oauthKeys.filter((key) => secrets[key] !== undefined);
  const missing = oauthKeys.filter((key) => secrets[key] === undefined);
  const isOAuth = given.length > 0 || secrets.scope !== undefined;
  const signIns = [secrets.token !== undefined, isOAuth, names.includes('authorization')];
  const faults: ValidationFault[] = names.flatMap((name) => headerFault(name, secrets.headers![name]!));
  if (names.length > maxHeaders)
    faults.push(fault(['headers'], `An app connection can have at most ${maxHeaders} headers.`, 'too_long'));
  if (secrets.token !== undefined && !/^[\x21-\x7e]+$/.test(secrets.token))
    faults.push(
      fault(['token'], 'A bearer token must have only printable ASCII characters, without spaces.'),
    );
  if (isOAuth)
    for (const key of missing)
      faults.push(
        fault([key], 'OAuth client credentials need client_id, client_secret and token_url.', 'missing'),
      );
  const urlProblem = secrets.token_url === undefined ? undefined : urlFault(secrets.token_url);
  if (urlProblem !== undefined) faults.push(fault(['token_url'], urlProblem));
  if (signIns.filter(Boolean).length > 1)
    faults.push(
      fault(
        [],
        'Use only one way to sign in: a token, OAuth client credentials, or an authorization header.',
      ),
    );
  return faults;
}

function headerFault(name: string, value: string): ValidationFault[] {
  if (!/^[a-z0-9!#$%&'*+.^_`|~-]{1,64}$/.test(name))
    return [
      fault(
        ['headers', name],
        "A header's name must have 1 to 64 letters, digits and other characters that HTTP allows in header names.",
      ),
    ];
  if (reservedHeaders.has(name) || reservedStarts.some((start) => name.startsWith(start)))
    return [fault(['headers', name], 'The connection sets this header itself. Remove it.')];
  // Visible ASCII with spaces and tabs inside; anything else could end the header or be ambiguous.
  if (!/^[\x21-\x7e](?:[\x20-\x7e\t]{0,4094}[\x21-\x7e])?$/.test(value))
    return [fault(['headers', name], "A header's value must have 1 to 4096 printable ASCII characters.")];
  return [];
}

function fault(place: string[], msg: string, type = 'value_error'): ValidationFault {
  return { loc: ['body', 'secrets', ...place], msg, type };
}

/** Where secrets are sent, and whether its address is checked first. */
export interface Destination {
  url: string;
  isChecked: boolean;
  secrets: AppSecrets;
}

/**
 * Secrets belong to the server they were given for: pointing a connection at another server, or at addresses
 * that are not checked any more, requires giving them again or removing them. Otherwise a user who may change
 * a connection could have its secrets sent to their own server.
 */
export function refuseRedirectedSecrets(
  before: Destination,
  after: Destination,
  change: SecretsChange,
): void {
  const isNew = (key: keyof AppSecrets) => change[key] !== undefined;
  const isUnchecked = before.isChecked && !after.isChecked;
  const moved = isUnchecked || originOf(before.url) !== originOf(after.url);
  const tokenMoved = originOf(before.secrets.token_url) !== originOf(after.secrets.token_url);
  const where = isUnchecked ? 'an address that is checked' : 'another server';
  const faults: ValidationFault[] = [];
  const again = (key: keyof AppSecrets) =>
    faults.push(fault([key], `The secret was set for ${where}. Send it again, or send null to remove it.`));
  if (moved && after.secrets.token !== undefined && !isNew('token')) again('token');
  if (moved)
    for (const name of Object.keys(after.secrets.headers ?? {})) {
      const given = Object.keys(change.headers ?? {}).map((key) => key.toLowerCase());
      if (!given.includes(name))
        faults.push(
          fault(
            ['headers', name],
            `The header was set for ${where}. Send it again, or send null to remove it.`,
          ),
        );
    }
  if (moved || tokenMoved)
    if (after.secrets.client_secret !== undefined && !isNew('client_secret')) again('client_secret');
  if (faults.length > 0) throw new ValidationError(faults);
}

function originOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : (URL.parse(url)?.origin ?? url);
}
