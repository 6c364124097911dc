import { isIP } from 'node:net';
import { urlFault } from '../../../../data/outgoing/outgoing.ts';

/** Accepts a host name or an IP address. */
export function hostFault(text: string): string | undefined {
  if (isIP(text) !== 0) return undefined;
  return /^[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9_.])?$/.test(text)
    ? undefined
    : 'must be a host name or an IP address, without a scheme, a port or a path.';
}

export function identifierFault(text: string): string | undefined {
  return text.length <= 128 && !hasControl(text)
    ? undefined
    : 'must have at most 128 characters, without control characters.';
}

export function webAddressFault(text: string): string | undefined {
  const fault = urlFault(text);
  if (fault !== undefined) return `can't be used: ${fault}`;
  const url = new URL(text);
  return url.hash === '' ? undefined : 'must not have a fragment (#…).';
}

export function baseUrlFault(text: string): string | undefined {
  const fault = webAddressFault(text);
  if (fault !== undefined) return fault;
  return new URL(text).search === ''
    ? undefined
    : 'must not have a query (?…). Set parameters in the resources of http_replication.';
}

/**
 * The origin of an address, the same as redirects are compared by. Other text is returned as it
 * is.
 */
export function originOf(text: string): string {
  return URL.parse(text)?.origin ?? text;
}

export function bucketFault(text: string): string | undefined {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/.test(text)
    ? undefined
    : 'must have 3 to 63 letters, digits, dots, hyphens and underscores.';
}

export function regionFault(text: string): string | undefined {
  return /^[A-Za-z0-9-]{1,64}$/.test(text) ? undefined : 'must have only letters, digits and hyphens.';
}

/** Accepts the relative beginning of an object key. */
export function prefixFault(text: string): string | undefined {
  if (text.length > 900 || hasControl(text))
    return 'must have at most 900 characters, without control characters.';
  if (text.startsWith('/')) return 'must not begin with a slash.';
  return /[*?[\]{}]/.test(text) ? "can't contain * ? [ ] { }, because it isn't a pattern." : undefined;
}

const reservedHeaders = new Set([
  ...['host', 'connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'expect'],
  ...['content-length', 'content-type', 'content-encoding', 'accept', 'accept-encoding', 'range'],
]);

export function headerNameFault(text: string): string | undefined {
  const name = text.toLowerCase();
  if (!/^[a-z0-9!#$%&'*+.^_`|~-]{1,64}$/.test(name))
    return 'must have 1 to 64 letters, digits and other characters that HTTP allows in header names.';
  return reservedHeaders.has(name) || name.startsWith('proxy-')
    ? 'is a header that the connection sets itself. Choose another header.'
    : undefined;
}

/** Visible ASCII, with spaces and tabs inside: other characters could end the header or be ambiguous. */
export function headerValueFault(text: string): string | undefined {
  return /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/.test(text)
    ? undefined
    : 'must have only printable ASCII characters, without spaces at the beginning and the end.';
}

export function bearerFault(text: string): string | undefined {
  return /^[\x21-\x7e]+$/.test(text)
    ? undefined
    : 'must have only printable ASCII characters, without spaces.';
}

/** RFC 7617: the user name ends at the first colon. */
export function basicUserFault(text: string): string | undefined {
  return hasControl(text) || text.includes(':')
    ? 'must not contain colons or control characters.'
    : undefined;
}

export function secretTextFault(text: string): string | undefined {
  return hasControl(text) ? 'must not contain control characters.' : undefined;
}

function hasControl(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it detects.
  return /[\u0000-\u001f\u007f]/.test(text);
}
