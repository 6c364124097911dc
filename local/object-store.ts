import { randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, globSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createObjectStore, type ObjectStore } from '../data/objects/store.ts';
import { programEnvironment } from './host-environment.ts';
import { endOrphans, runsWith } from './orphans.ts';
import { launchPart, type PartHandle, untilReady } from './part.ts';
import { grpcPortOffset, isPortPairFree, keptPorts } from './ports.ts';
import { keptSecret } from './private-file.ts';

export type ObjectStoreHandle = PartHandle & {
  name: 's3';
  port: number;
  endpoint: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
};

export type ObjectStoreOptions = {
  /** Directory used by this part only. */
  dataDir: string;
  logFile: string;
  /** The SeaweedFS program `weed`. */
  weed: string;
  port?: number | undefined;
};

const readyTimeoutMs = 30_000;
const probeTimeoutMs = 1_000;
const region = 'us-east-1';
const services = ['s3', 'master', 'volume', 'filer', 'admin'] as const;

/** Starts SeaweedFS on loopback over this data directory, after ending one left by an earlier run. */
export async function startObjectStore(options: ObjectStoreOptions): Promise<ObjectStoreHandle> {
  const { dataDir, logFile } = options;
  const objects = join(dataDir, 'objects');
  mkdirSync(objects, { recursive: true });
  // SeaweedFS's own files are readable by all users.
  chmodSync(dataDir, 0o700);
  keepClosed(dataDir);
  const folder = `-dir=${objects}`;
  await endOrphans({ isOurs: (seen) => runsWith(seen, 'weed', folder), signal: 'SIGTERM' });
  const accessKeyId = keptSecret(join(dataDir, 'access-key-id'), () => randomBytes(10).toString('hex'));
  const secretAccessKey = keptSecret(join(dataDir, 'secret-access-key'), () =>
    randomBytes(24).toString('hex'),
  );
  const given = options.port === undefined ? {} : { s3: options.port };
  const ports = await keptPorts(dataDir, services, given, isPortPairFree);
  const { handle } = launchPart({
    name: 's3',
    command: options.weed,
    // Otherwise it also writes logs to the machine's temporary directory.
    args: ['-logtostderr=true', 'mini', folder, ...flags(ports)],
    environment: programEnvironment({
      HOME: dataDir,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    }),
    workingDir: dataDir,
    logFile,
    stopSignal: 'SIGTERM',
  });
  void handle.exited.then(() => removeSockets(Object.values(ports)));
  const endpoint = `http://127.0.0.1:${ports.s3}`;
  const probed = createObjectStore({ endpoint, region, bucket: 'readiness', accessKeyId, secretAccessKey });
  await untilReady(handle, { logFile, timeoutMs: readyTimeoutMs, probe: () => isWritable(probed) }).finally(
    () => probed.close(),
  );
  return {
    ...handle,
    name: 's3',
    port: ports.s3,
    endpoint,
    region,
    accessKeyId,
    secretAccessKey,
  };
}

/**
 * Writes the settings that SeaweedFS looks for in its working directory. Only its S3 gateway is used, which
 * requires credentials; with these keys its other HTTP services refuse unsigned requests.
 */
function keepClosed(dataDir: string): void {
  const key = () => randomBytes(24).toString('hex');
  const section = (name: string) => `[${name}]\nkey = "${key()}"\n`;
  const sections = ['jwt.signing', 'jwt.signing.read', 'jwt.filer_signing', 'jwt.filer_signing.read'];
  keptSecret(join(dataDir, 'security.toml'), () => sections.map(section).join(''));
}

function flags(ports: Record<(typeof services)[number], number>): string[] {
  return [
    '-ip=127.0.0.1',
    '-ip.bind=127.0.0.1',
    ...services.map((service) => `-${service}.port=${ports[service]}`),
    // Its master and filer would give signed tokens and files to any client.
    '-disableHttp',
    '-webdav=false',
    '-admin.ui=false',
    '-master.telemetry=false',
    // It makes the keys of lake credentials.
    '-s3.iam.readOnly=false',
    '-s3.port.iceberg=0',
    '-s3.port.lance=0',
  ];
}

/**
 * The gateway answers before a volume accepts writes, so the probe writes. A write that is sent too early may
 * not be answered for many seconds, while others are; each has a key of its own, as it may hold the key's
 * lock.
 */
async function isWritable(store: ObjectStore): Promise<boolean> {
  const write = async () => {
    const key = `probe-${randomUUID()}`;
    await store.ensureBucket();
    await store.put(key, Buffer.from('probe'), 'text/plain');
    await store.remove(key);
    return true;
  };
  return Promise.race([write(), delay(probeTimeoutMs, false, { ref: false })]);
}

/** SeaweedFS creates sockets named after its ports in /tmp, and leaves them there when it is killed. */
function removeSockets(ports: readonly number[]): void {
  for (const port of ports.flatMap((port) => [port, port + grpcPortOffset])) {
    for (const path of globSync(`/tmp/seaweedfs-*-${port}.sock`)) rmSync(path, { force: true });
  }
}
