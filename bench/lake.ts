import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { readApiConfig } from '../api/config.ts';
import { createCipher } from '../data/encryption.ts';
import type { EngineConnection } from '../data/lake/engine/contract.ts';
import { activityStaging, openLakes } from '../service/engine-process/open.ts';
import type { LocalStack } from './workspace.ts';

/** The bare engine over the lakes of a running stack, as one of the service's engine processes has it. */
export async function openBareLakes(stack: LocalStack) {
  const workDir = await mkdtemp(join(tmpdir(), 'bench-lake-'));
  const config = readApiConfig({ ...stack.environment, DATABASE_URL: stack.databaseUrl });
  const lakes = openLakes({
    ...config,
    cipher: createCipher(config.encryptionKeys),
    workDir,
    memoryLimitBytes: config.lakeMemoryBytes,
    threads: 2,
    processes: 1,
    staging: activityStaging(1),
    applicationName: 'bench',
  });

  return {
    /** For files that the engine reads. */
    workDir,
    /** Works in the lake of the table's organization. */
    async use<T>(tableId: string, work: (connection: EngineConnection) => Promise<T>): Promise<T> {
      const client = new pg.Client(stack.databaseUrl);
      await client.connect();
      const { rows } = await client.query('SELECT organization_id FROM tables WHERE id = $1', [tableId]);
      await client.end();
      const { writer } = await lakes.lake.catalog.get(rows[0].organization_id);
      return lakes.lake.engine.use(writer, work);
    },
    async close(): Promise<void> {
      await lakes.close();
      await rm(workDir, { recursive: true, force: true });
    },
  };
}
