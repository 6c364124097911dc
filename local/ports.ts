import { randomInt } from 'node:crypto';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { readJsonFile, writePrivateFile } from './private-file.ts';

/**
 * Below the range of ephemeral ports, gRPC companions included, and narrow enough that no companion is in the
 * range of first ports.
 */
const firstPort = 11_000;
const lastPort = 20_999;

/** SeaweedFS serves gRPC on its HTTP port plus this offset. */
export const grpcPortOffset = 10_000;

/** Random ports that this process has chosen: parts that start concurrently must not share one. */
const given = new Set<number>();

export type PortCheck = (port: number) => Promise<boolean>;

/** True when nothing listens on this port of the loopback address. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** A free port for a server that must know it before it listens. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen({ port: 0, host: '127.0.0.1' }, () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** True when the port and its gRPC companion are both free. */
export async function isPortPairFree(port: number): Promise<boolean> {
  return (await isPortFree(port)) && (await isPortFree(port + grpcPortOffset));
}

/**
 * A port for each name: the remembered one if it is still free, otherwise a random free one, so that two
 * stacks starting concurrently do not choose the same.
 */
export async function choosePorts<Name extends string>(
  names: readonly Name[],
  remembered: Partial<Record<Name, number>>,
  isFree: PortCheck,
): Promise<Record<Name, number>> {
  const chosen = new Map<Name, number>();
  for (const name of names) {
    const kept = remembered[name];
    if (kept === undefined || !(await isFree(kept))) continue;
    given.add(kept);
    chosen.set(name, kept);
  }
  for (const name of names) {
    while (!chosen.has(name)) {
      const port = randomInt(firstPort, lastPort + 1);
      if (given.has(port)) continue;
      given.add(port);
      if (await isFree(port)) chosen.set(name, port);
      else given.delete(port);
    }
  }
  return Object.fromEntries(chosen) as Record<Name, number>;
}

/** Ports of a part, stored in its data directory so that its addresses stay the same across starts. */
export async function keptPorts<Name extends string>(
  dataDir: string,
  names: readonly Name[],
  asked: Partial<Record<Name, number>>,
  isFree: PortCheck = isPortFree,
): Promise<Record<Name, number>> {
  const path = join(dataDir, 'ports.json');
  const kept = (readJsonFile(path) ?? {}) as Partial<Record<Name, number>>;
  const open = names.filter((name) => asked[name] === undefined);
  const ports = { ...(await choosePorts(open, kept, isFree)), ...asked } as Record<Name, number>;
  writePrivateFile(path, `${JSON.stringify(ports)}\n`);
  return ports;
}

/** The first free port, beginning with the wanted one. */
export async function firstFreePort(wanted: number, isFree: PortCheck = isPortFree): Promise<number> {
  for (let port = wanted; port < wanted + 200; port += 1) {
    if (await isFree(port)) return port;
  }
  throw new Error(`There is no free port between ${wanted} and ${wanted + 199}. Set PORT to a free one.`);
}
