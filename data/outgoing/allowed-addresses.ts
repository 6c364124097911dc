import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A private network that the operator allows, at one port or at any. */
export interface AllowedNetwork {
  base: Address;
  bits: number;
  port: number | undefined;
}

/**
 * `127.0.0.0/8:5433, 10.0.0.0/8, 192.168.1.7, [fd00::/8]:443`. @throws Error that names the entry which is
 * none.
 */
export function parseAllowedNetworks(list: string): AllowedNetwork[] {
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map((entry) => {
      const { network, port } = splitPort(entry);
      const [address = '', bits, ...rest] = network.split('/');
      const most = isIP(address) === 4 ? 32 : 128;
      const count = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
      const isPort = port === undefined || (port >= 1 && port <= 65_535);
      if (isIP(address) === 0 || rest.length > 0 || !(count >= 0 && count <= most) || !isPort)
        throw new Error(
          `${entry} isn't a network. Write 10.0.0.0/8, 127.0.0.0/8:5433 for one port, or [fd00::/8]:443.`,
        );
      return { base: ipaddr.parse(address), bits: count, port };
    });
}

function splitPort(entry: string): { network: string; port: number | undefined } {
  if (entry.startsWith('[')) {
    const end = entry.lastIndexOf(']');
    const after = entry.slice(end + 1);
    return { network: entry.slice(1, end), port: after === '' ? undefined : portOf(after) };
  }
  const colon = entry.indexOf(':');
  // More than one colon means an IPv6 address, which has a port only after brackets.
  if (colon === -1 || entry.includes(':', colon + 1)) return { network: entry, port: undefined };
  return { network: entry.slice(0, colon), port: portOf(entry.slice(colon)) };
}

function portOf(text: string): number {
  return /^:\d{1,5}$/.test(text) ? Number(text.slice(1)) : Number.NaN;
}

/** IPv6 global unicast; addresses outside of it are special or unassigned. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether a connection to this address is allowed: public addresses, and private ones the operator allows. An
 * IPv4 address embedded in an IPv6 address is checked as IPv4.
 */
export function isAllowedAddress(text: string, port: number, allowed: readonly AllowedNetwork[]): boolean {
  if (isIP(text) === 0) return false;
  const address = ipaddr.process(text);
  if (isPublic(address)) return true;
  return allowed.some(
    ({ base, bits, port: only }) =>
      (only === undefined || only === port) && base.kind() === address.kind() && matches(address, base, bits),
  );
}

/** Whether this is an address that is reached without the operator opening it. */
export function isPublicAddress(text: string): boolean {
  return isIP(text) !== 0 && isPublic(ipaddr.process(text));
}

/** An allow-list instead of a list of refused ranges, so that a range the library newly learns is refused. */
function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return !(address instanceof ipaddr.IPv6) || address.match(globalUnicast);
}

function matches(address: Address, base: Address, bits: number): boolean {
  if (address instanceof ipaddr.IPv6) return base instanceof ipaddr.IPv6 && address.match(base, bits);
  return base instanceof ipaddr.IPv4 && address.match(base, bits);
}
