import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { readJsonFile, writePrivateFile } from './private-file.ts';

/**
 * Below the range the system takes for outgoing connections, gRPC companions included, and narrow enough
 * that no companion falls among the first ports.
 */
const firstPort = 11_000;
const lastPort = 20_999;

/** SeaweedFS serves gRPC on its HTTP port plus this. */
export const grpcPortOffset = 10_000;

/** Ports this process has given out at random: parts that start at the same moment must not share one. */
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

/** True when the port and its gRPC companion are both free. */
export async function isPortPairFree(port: number): Promise<boolean> {
  return (await isPortFree(port)) && (await isPortFree(port + grpcPortOffset));
}

/**
 * A port for each name: the remembered one where it is still free, else a free one at random (at random, so
 * that two stacks starting at the same moment do not choose the same).
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

/** Ports of a part, kept in its data directory so that its addresses stay the same from start to start. */
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

/** The first free port from the wanted one on. */
export async function firstFreePort(wanted: number, isFree: PortCheck = isPortFree): Promise<number> {
  for (let port = wanted; port < wanted + 200; port += 1) {
    if (await isFree(port)) return port;
  }
  throw new Error(`No free port between ${wanted} and ${wanted + 199}; set PORT.`);
}
