import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { LoginTokens, TokenStore } from '../../typescript/src/index.ts';

/** What the command line remembers of a service. */
export interface Profile {
  url: string;
  tokens?: LoginTokens;
  /** The project of commands that name none. */
  projectId?: string;
}

/** A lock that is older belongs to a process that has died. */
const staleMs = 60_000;
const aliveMs = 5_000;

/** A variable that is set to nothing is not set. */
export function variable(name: string): string | undefined {
  const value = process.env[name];
  return value === '' ? undefined : value;
}

export function folder(): string {
  const own = variable('WORKSPACE_CONFIG_DIR');
  return own ?? join(variable('XDG_CONFIG_HOME') ?? join(homedir(), '.config'), 'analytics-workspace');
}

const file = () => join(folder(), 'login.json');

export async function readProfile(): Promise<Profile | undefined> {
  try {
    return JSON.parse(await readFile(file(), 'utf8')) as Profile;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`${file()} can't be read: ${(error as Error).message}. Remove it and log in again.`);
  }
}

/** Written whole or not at all, for its owner alone. */
export async function writeProfile(profile: Profile): Promise<void> {
  await mkdir(folder(), { recursive: true, mode: 0o700 });
  const next = `${file()}.${randomUUID()}`;
  await writeFile(next, `${JSON.stringify(profile, null, 2)}\n`, { mode: 0o600 });
  await chmod(next, 0o600);
  await rename(next, file());
}

export const removeProfile = (): Promise<void> => rm(file(), { force: true });

/** Changes the profile while no other command does. */
export const changeProfile = (change: (before: Profile | undefined) => Profile): Promise<void> =>
  exclusively(async () => writeProfile(change(await readProfile())));

/** The tokens of the profile, which several commands may need to renew at once. */
export const tokenStore: TokenStore = {
  load: async () => (await readProfile())?.tokens,
  async save(tokens) {
    const profile = await readProfile();
    if (profile !== undefined) await writeProfile({ ...profile, tokens });
  },
  exclusively,
};

/** Holds a file as a lock, and shows every few seconds that its holder is alive. */
async function exclusively<T>(work: () => Promise<T>): Promise<T> {
  await mkdir(folder(), { recursive: true, mode: 0o700 });
  const lock = join(folder(), 'login.lock');
  const own = randomUUID();
  while (!(await taken(lock, own))) await delay(50);
  const beat = setInterval(() => void utimes(lock, new Date(), new Date()).catch(() => undefined), aliveMs);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    if ((await readFile(lock, 'utf8').catch(() => '')) === own) await rm(lock, { force: true });
  }
}

async function taken(lock: string, own: string): Promise<boolean> {
  try {
    await writeFile(lock, own, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const aliveAt = await stat(lock).then(
    ({ mtimeMs }) => mtimeMs,
    () => Date.now(),
  );
  // Of those who find the lock of a dead process, one moves it away.
  if (Date.now() - aliveAt > staleMs)
    await rename(lock, `${lock}.${own}`).then(
      () => rm(`${lock}.${own}`),
      () => undefined,
    );
  return false;
}
