import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { programEnvironment } from './host-environment.ts';
import { endOrphans, runsWith } from './orphans.ts';
import { launchPart, type PartHandle, untilReady } from './part.ts';
import { keptPorts } from './ports.ts';
import { giveFolder, type PostgresRunner, postgresFolder, postgresRunner } from './postgres-program.ts';
import { keptSecret } from './private-file.ts';

export type PostgresHandle = PartHandle & {
  name: 'postgres';
  port: number;
  /** Superuser connection to the service's database. */
  databaseUrl: string;
  /** Superuser connection to another database of this server. */
  urlOf(database: string): string;
};

export type PostgresOptions = {
  /** Directory used by this part only. */
  dataDir: string;
  logFile: string;
  port?: number | undefined;
  /** Created if missing; default `workspace`. */
  database?: string;
  sharedBuffersMib?: number;
  /** Whether commits survive a crash of the machine; default true. */
  isDurable?: boolean;
};

const readyTimeoutMs = 60_000;

/** Starts the server of this data directory on loopback, after ending one left by an earlier run. */
export async function startPostgres(options: PostgresOptions): Promise<PostgresHandle> {
  const { dataDir, logFile } = options;
  mkdirSync(dataDir, { recursive: true });
  const cluster = join(dataDir, 'cluster');
  await endPostgresOrphans(cluster);
  const passwordFile = join(dataDir, 'password');
  const password = keptSecret(passwordFile, () => randomBytes(24).toString('base64url'));
  const folder = postgresFolder();
  const runner = postgresRunner();
  if (!existsSync(cluster)) initialise({ folder, runner, cluster, password });
  giveFolder(cluster, runner);
  const { server: port } = await keptPorts(dataDir, ['server'], portsGiven(options.port));
  const urlOf = (database: string) => `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;
  const program = [...runner.prefix, join(folder, 'bin', 'postgres'), '-D', cluster];
  const [command = '', ...args] = [...program, ...settings(port, options)];
  const { handle } = launchPart({
    name: 'postgres',
    command,
    args,
    environment: programEnvironment(),
    workingDir: dataDir,
    logFile,
    stopSignal: 'SIGINT',
    killSignal: 'SIGQUIT',
    ...runner.account,
  });
  await untilReady(handle, { logFile, timeoutMs: readyTimeoutMs, probe: () => answers(urlOf('postgres')) });
  const database = options.database ?? 'workspace';
  await ensureDatabase(urlOf('postgres'), database);
  return { ...handle, name: 'postgres', port, databaseUrl: urlOf(database), urlOf };
}

function portsGiven(port: number | undefined): { server?: number } {
  return port === undefined ? {} : { server: port };
}

/**
 * Ends the server first, then child processes that outlived a killed server: PostgreSQL does not start while
 * one of them still has the old shared memory. They are identified by their working directory, the cluster.
 */
async function endPostgresOrphans(cluster: string): Promise<void> {
  await endOrphans({ isOurs: (seen) => runsWith(seen, 'postgres', cluster), signal: 'SIGINT' });
  await endOrphans({
    isOurs: (seen) => seen.workingDir === cluster && (seen.args[0] ?? '').startsWith('postgres'),
    signal: 'SIGQUIT',
  });
}

/** Created under a temporary name first, so that a cluster that exists is complete. */
function initialise(options: {
  folder: string;
  runner: PostgresRunner;
  cluster: string;
  password: string;
}): void {
  const { folder, runner, cluster } = options;
  const staging = `${cluster}.new`;
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(staging, { mode: 0o700 });
  const passwordFile = `${staging}.password`;
  writeFileSync(passwordFile, options.password, { mode: 0o600 });
  for (const path of [staging, passwordFile]) giveFolder(path, runner);
  const [command = '', ...args] = [...runner.prefix, join(folder, 'bin', 'initdb')];
  args.push('-D', staging, '--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256');
  args.push('--encoding=UTF8', '--locale-provider=builtin', '--locale=C.UTF-8');
  const result = spawnSync(command, args, {
    encoding: 'utf8',
    env: programEnvironment(),
    ...runner.account,
  });
  rmSync(passwordFile);
  if (result.status !== 0) {
    throw new Error(`PostgreSQL can't create its data directory: ${result.stderr || result.error?.message}`);
  }
  renameSync(staging, cluster);
}

/**
 * Passed on the command line, so that existing data directories use them too. Commits are durable: fsync and
 * synchronous_commit keep their defaults. A transaction over the schemas of many lakes needs more locks than
 * the default allows; a local server has no replicas, so the WAL level is minimal.
 */
function settings(
  port: number,
  { sharedBuffersMib = 128, isDurable = true }: Pick<PostgresOptions, 'sharedBuffersMib' | 'isDurable'>,
): string[] {
  const values = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '400',
    // Holders of lake credentials cannot take these from the service.
    reserved_connections: '150',
    shared_buffers: `${sharedBuffersMib}MB`,
    max_locks_per_transaction: '256',
    wal_level: 'minimal',
    max_wal_senders: '0',
    max_wal_size: '4GB',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    ...(!isDurable && { fsync: 'off', full_page_writes: 'off' }),
  };
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } finally {
    await client.end().catch(() => {});
  }
}

async function ensureDatabase(url: string, database: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const found = await client.query('select 1 from pg_database where datname = $1', [database]);
    if (found.rowCount === 0) await client.query(`create database ${client.escapeIdentifier(database)}`);
    // Holders of lake credentials have nothing to do there.
    await client.query('revoke connect on database postgres, template1 from public');
  } finally {
    await client.end();
  }
}
