import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileStore } from './contract.ts';

/** The files of a local folder. Removing all files of a prefix leaves the folder of this name, and empty. */
export function localStore(folder: string): FileStore {
  return {
    rootUrl: join(folder, '/'),
    read: async (key, range) =>
      createReadStream(join(folder, key), range === undefined ? {} : { start: range.from, end: range.to }),
    remove: (key) => rm(join(folder, key), { force: true }),
    async removeAll(prefix) {
      await rm(join(folder, prefix), { recursive: true, force: true });
      await mkdir(join(folder, prefix), { recursive: true });
    },
  };
}
