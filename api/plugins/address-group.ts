import { isIPv4, isIPv6 } from 'node:net';

/** Longer than any address; a proxy may pass on anything. */
const maxLength = 64;

/**
 * The key by which an address is counted: an IPv4 address in one canonical form, and IPv6 addresses by their
 * /64, the smallest network that a subscriber gets.
 */
export function addressGroup(address: string): string {
  const plain = address.split('%')[0]!.toLowerCase();
  if (!isIPv6(plain)) return plain.slice(0, maxLength);
  const embedded = plain.slice(plain.lastIndexOf(':') + 1);
  if (plain.startsWith('::ffff:') && isIPv4(embedded)) return embedded;
  const [head = '', tail] = plain.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = tail === undefined ? 0 : 8 - before.length - after.length - (isIPv4(embedded) ? 1 : 0);
  const groups = [...before, ...Array<string>(Math.max(0, missing)).fill('0'), ...after].slice(0, 4);
  return `${groups.map((group) => group.replace(/^0+(?=.)/, '')).join(':')}::/64`;
}
