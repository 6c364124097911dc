import { mkdir, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLocalEngine } from '../../data/lake/engine/local.ts';
import type { EngineProcessSettings } from '../../data/lake/engine/process/messages.ts';
import { checked, Failed, type Finding } from './finding.ts';

const mebibyte = 1_048_576;
/** Less is not enough to spill or to unpack anything. */
const leastFreeBytes = 256 * mebibyte;
/** About what one snapshot and a few engines take. */
const enoughBytes = 4_096 * mebibyte;

/** Scratch space: that it can be written, and how much is left. */
export function examineWorkDir(workDir: string, { leastBytes = leastFreeBytes } = {}): Promise<Finding> {
  return checked(
    'WORK_DIR',
    async () => {
      await mkdir(workDir, { recursive: true });
      const folder = await mkdtemp(join(workDir, 'doctor-'));
      try {
        await writeFile(join(folder, 'written'), Buffer.alloc(mebibyte));
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
      const { bavail, bsize } = await statfs(workDir);
      const free = `${workDir} has ${Math.floor((bavail * bsize) / mebibyte).toLocaleString('en')} MiB free`;
      if (bavail * bsize < leastBytes)
        throw new Failed(`${free}.`, 'Free some space, or set WORK_DIR to a folder on another disk.');
      if (bavail * bsize >= enoughBytes) return free;
      return {
        found: `${free}.`,
        todo: 'Large statements and snapshots need several GiB. Free some space soon.',
      };
    },
    (error) => ({
      found: `${workDir} isn't writable: ${error.message}`,
      todo: 'Free some space, or set WORK_DIR to a folder that this user can write to.',
    }),
  );
}

/** Starts an engine in this process, with the extensions that engines need. */
export function examineEngine(
  settings: Omit<EngineProcessSettings, 'threads' | 'memoryLimitBytes'>,
): Promise<Finding> {
  return checked(
    'Engine',
    async () => {
      const engine = await createLocalEngine({ ...settings, threads: 1, memoryLimitBytes: 256_000_000 });
      try {
        const rows = await engine.scratch(async (connection) =>
          (await connection.runAndReadAll('SELECT version()')).getRowsJson(),
        );
        const from = settings.extensionDir === undefined ? 'from DuckDB' : `from ${settings.extensionDir}`;
        return `DuckDB ${rows[0]?.[0]}, extensions ${from}`;
      } finally {
        engine.close();
      }
    },
    (error) => ({
      found: error.message.split('\n')[0]!,
      todo: 'Run `npm run extensions`, or set DUCKDB_EXTENSION_DIR to a folder with the extension files.',
    }),
  );
}
