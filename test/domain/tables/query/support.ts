import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../../../../data/errors.ts';
import {
  createQueryPool,
  type QueryPool,
  type QueryPoolOptions,
  type QueryRequest,
} from '../../../../domain/tables/query/pool/pool.ts';
import { openTestLake, type TestLake } from './lab.ts';

export interface TestQueries {
  lake: TestLake;
  pool: QueryPool;
  run(sql: string, options?: Partial<QueryRequest>): ReturnType<QueryPool['run']>;
  close(): Promise<void>;
}

const mebibyte = 1024 * 1024;

/** A lake, a pool, and a shorthand to run statements over `relations`. */
export async function openTestQueries(
  relations: QueryRequest['relations'],
  options: Partial<QueryPoolOptions> = {},
): Promise<TestQueries> {
  const lake = await openTestLake();
  const workDir = await mkdtemp(join(tmpdir(), 'query-test-'));
  const pool = createQueryPool({
    extensionDir: lake.extensionDir,
    objectStore: lake.objectStore,
    workDir,
    processes: 4,
    threadsPerProcess: 2,
    memoryLimitBytes: 512 * mebibyte,
    tempLimitBytes: 256 * mebibyte,
    maxAnswerBytes: 32 * mebibyte,
    ...options,
  });
  return {
    lake,
    pool,
    run: (sql, request = {}) =>
      pool.run({
        location: lake.location,
        relations,
        sql,
        limit: 100,
        timeoutMs: 20_000,
        rowFormat: 'both',
        atVersions: new Map(),
        ...request,
      }),
    close: async () => {
      await pool.close();
      await lake.close();
      await rm(workDir, { recursive: true, force: true });
    },
  };
}

export interface Refusal {
  code: string;
  message: string;
}

/** The error a statement ends in, or `answered`. */
export async function outcomeOf(running: Promise<unknown>): Promise<Refusal> {
  try {
    await running;
    return { code: 'answered', message: '' };
  } catch (error) {
    if (error instanceof AppError) return { code: error.code, message: error.message };
    throw error;
  }
}
