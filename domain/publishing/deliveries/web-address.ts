/** Shorter ones are found in any text, and are nobody's token. */
const minSecretLength = 6;

/** An address as people are shown it: its query, and who signs in by it, are often secrets. */
export function shownAddress(address: string): string {
  const url = URL.parse(address);
  return url === null ? address : `${url.origin}${url.pathname}`;
}

/**
 * What of an address is not shown, as an answer may repeat it: longest first, so that nothing is left of one
 * in another.
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
