/** Shorter parts occur in any text and are not secrets. */
const minSecretLength = 6;

/** An address as shown to people, without its query and credentials, which are often secret. */
export function shownAddress(address: string): string {
  const url = URL.parse(address);
  return url === null ? address : `${url.origin}${url.pathname}`;
}

/**
 * The hidden parts of an address, to redact in answers: longest first, so that no part of one remains inside
 * another.
 */
export function hiddenParts(address: string): string[] {
  const { search, searchParams } = new URL(address);
  const raw = search
    .slice(1)
    .split('&')
    .map((pair) => pair.slice(pair.indexOf('=') + 1));
  return [...new Set([search.slice(1), ...raw, ...searchParams.values()])]
    .filter(({ length }) => length >= minSecretLength)
    .sort((a, b) => b.length - a.length);
}
