import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chooseApiPort } from '../../local/api-port.ts';
import { choosePorts, firstFreePort, isPortFree, keptPorts } from '../../local/ports.ts';

const always = async () => true;

describe('ports', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'workspace-ports-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  it('gives every name a port of its own', async () => {
    const ports = await choosePorts(['a', 'b', 'c', 'd'], {}, always);
    expect(new Set(Object.values(ports)).size).toBe(4);
  });

  it('gives parts that start at the same moment different ports', async () => {
    const names = Array.from({ length: 200 }, (_, index) => `part ${index}`);
    const both = await Promise.all([choosePorts(names, {}, always), choosePorts(names, {}, always)]);
    expect(new Set(both.flatMap((ports) => Object.values(ports))).size).toBe(400);
  });

  it('takes remembered ports again where they are free, and others where they are not', async () => {
    const ports = await choosePorts(['a', 'b'], { a: 12_001, b: 12_002 }, async (port) => port !== 12_002);
    expect(ports.a).toBe(12_001);
    expect(ports.b).not.toBe(12_002);
  });

  it('keeps the ports of a data directory from start to start', async () => {
    const first = await keptPorts(dataDir, ['a', 'b'], {}, always);
    expect(await keptPorts(dataDir, ['a', 'b'], {}, always)).toEqual(first);
  });

  it('takes a given port without asking whether it is free', async () => {
    const ports = await keptPorts(dataDir, ['a'], { a: 13_000 }, async () => false);
    expect(ports).toEqual({ a: 13_000 });
  });

  it('moves on to the next free port', async () => {
    expect(await firstFreePort(8080, async (port) => port >= 8083)).toBe(8083);
  });

  it('refuses a port that was asked for and is taken', async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
    });
    try {
      expect(await isPortFree(port)).toBe(false);
      await expect(chooseApiPort({ wanted: port, isExplicit: true })).rejects.toThrow(
        `Port ${port} is taken`,
      );
    } finally {
      server.close();
    }
  });

  it('does not give the same default port to two starts at once', async () => {
    const asked = { wanted: 45_100, isExplicit: false };
    const [first, second] = await Promise.all([chooseApiPort(asked), chooseApiPort(asked)]);
    expect(first).not.toBe(second);
  });
});
