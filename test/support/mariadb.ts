import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { freePort } from '../../local/ports.ts';

export interface TestMariadb {
  port: number;
  password: string;
  /** Runs statements as the administrator, in a database of that name. */
  run(database: string, ...statements: string[]): Promise<void>;
  stop(): Promise<void>;
}

/** Whether a server is installed: Debian's package mariadb-server has one. */
export const hasMariadb =
  spawnSync('mariadbd', ['--version']).status === 0 &&
  spawnSync('mariadb-install-db', ['--help']).error === undefined;

const startTimeoutMs = 30_000;

/** A separate server on a free port, in a folder that is removed with it, as an unprivileged user. */
export async function startMariadb(): Promise<TestMariadb> {
  const folder = await mkdtemp(join(tmpdir(), 'mariadb-'));
  const isRoot = process.getuid?.() === 0;
  // The server refuses to run as root, and as nobody it needs access to its folder.
  const user = isRoot ? ['--user=nobody'] : [];
  if (isRoot) {
    execFileSync('chown', ['nobody', folder]);
    await chmod(folder, 0o755);
  }
  const data = `--datadir=${join(folder, 'data')}`;
  execFileSync(
    'mariadb-install-db',
    ['--no-defaults', data, ...user, '--auth-root-authentication-method=normal'],
    {
      stdio: 'ignore',
    },
  );
  const port = await freePort();
  const server = spawn(
    'mariadbd',
    [
      ...['--no-defaults', data, ...user, `--port=${port}`, '--bind-address=127.0.0.1'],
      ...[`--socket=${join(folder, 's')}`, `--pid-file=${join(folder, 'pid')}`],
      ...['--innodb-buffer-pool-size=32M', '--skip-log-bin', '--character-set-server=utf8mb4'],
    ],
    { stdio: 'ignore' },
  );
  const password = 'a-secret-password';
  const run = async (database: string, ...statements: string[]) => {
    const connection = await createConnection({ host: '127.0.0.1', port, user: 'root', password });
    try {
      await connection.query(`CREATE DATABASE IF NOT EXISTS \`${database}\``);
      await connection.query(`USE \`${database}\``);
      for (const statement of statements) await connection.query(statement);
    } finally {
      await connection.end();
    }
  };
  const stop = async () => {
    await ended(server);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await untilUp(port, server, password);
  } catch (error) {
    await stop();
    throw error;
  }
  return { port, password, run, stop };
}

async function untilUp(port: number, server: ChildProcess, password: string): Promise<void> {
  const endMs = Date.now() + startTimeoutMs;
  for (;;) {
    try {
      const connection = await createConnection({ host: '127.0.0.1', port, user: 'root' });
      // The anonymous user of the installation would match before all other users.
      await connection.query("DELETE FROM mysql.global_priv WHERE User = ''");
      await connection.query('FLUSH PRIVILEGES');
      await connection.query(`SET PASSWORD FOR root@localhost = PASSWORD('${password}')`);
      await connection.end();
      return;
    } catch (error) {
      if (Date.now() > endMs || server.exitCode !== null)
        throw new Error('MariaDB did not start.', { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

async function ended(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return;
  const exit = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGKILL');
  await exit;
}
