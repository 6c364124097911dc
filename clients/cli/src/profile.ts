import { randomUUID } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
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

export function folder(): string {
  const { WORKSPACE_CONFIG_DIR: own, XDG_CONFIG_HOME: config } = process.env;
  return own ?? join(config ?? join(homedir(), '.config'), 'analytics-workspace');
}

const file = () => join(folder(), 'login.json');

export async function readProfile(): Promise<Profile | undefined> {
  try {
    return JSON.parse(await readFile(file(), 'utf8')) as Profile;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`${file()} cannot be read: ${(error as Error).message}. Remove it and log in again.`);
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

/** The tokens of the profile, which several commands may need to renew at once. */
export const tokenStore: TokenStore = {
  load: async () => (await readProfile())?.tokens,
  async save(tokens) {
    const profile = await readProfile();
    if (profile !== undefined) await writeProfile({ ...profile, tokens });
  },
  async exclusively(work) {
    const lock = join(folder(), 'login.lock');
    for (;;) {
      const handle = await open(lock, 'wx').catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      });
      if (handle !== undefined) {
        await handle.close();
        break;
      }
      const heldSince = await stat(lock).then(
        ({ mtimeMs }) => mtimeMs,
        () => Date.now(),
      );
      if (Date.now() - heldSince > staleMs) await rm(lock, { force: true });
      await delay(50);
    }
    return work().finally(() => rm(lock, { force: true }));
  },
};
