import { RemoteFailure } from '../../../../data/outgoing/failure.ts';

/**
 * Refuses an answer that echoes a secret of its connection: what was sent to be let in must not become a row
 * that people read. A shorter secret may be part of an ordinary text, so it must be all of one; the same for
 * its name of the scheme, as in `Bearer …`.
 *
 * @throws RemoteFailure with the place
 */
export function refuseEchoed(
  records: readonly unknown[],
  bytes: Uint8Array,
  secrets: readonly string[],
): void {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Reading all texts of all records takes longer than to look for the few bytes.
  const sent = secrets.filter((secret) => buffer.includes(JSON.stringify(secret).slice(1, -1)));
  if (sent.length === 0) return;
  for (const [index, record] of records.entries()) {
    const place = placeOf(record, sent, []);
    if (place === undefined) continue;
    throw new RemoteFailure(
      'request',
      `The source's answer contains a secret of this connection (record ${index + 1} of the page, at ${place}). The service kept no rows of the page. Remove the secret from the source's answers, and replace it in the connection.`,
    );
  }
}

const longEnough = 16;

function isEchoed(text: string, secret: string): boolean {
  return text === secret || /^(?:Bearer|Basic|Token|ApiKey) /i.test(text)
    ? text.endsWith(secret)
    : secret.length >= longEnough && text.includes(secret);
}

/** A JSON pointer (RFC 6901) to the first text that holds one of the secrets. */
function placeOf(value: unknown, secrets: readonly string[], path: readonly string[]): string | undefined {
  if (typeof value === 'string')
    return secrets.some((secret) => isEchoed(value, secret))
      ? `/${path.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`
      : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = placeOf(member, secrets, [...path, name]);
    if (found !== undefined) return found;
  }
  return undefined;
}
