import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { startTemporal, type TemporalHandle, type TemporalOptions } from '../../local/temporal.ts';
import { ensureTools } from '../../local/tools.ts';

/** A Temporal server, as it is shipped, for the tests of one file; the function gives it once it has started. */
export function useOwnTemporal(options: Pick<TemporalOptions, 'dynamicConfig'> = {}): () => TemporalHandle {
  let folder: string | undefined;
  let server: TemporalHandle | undefined;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'workspace-temporal-'));
    const { temporal } = await ensureTools();
    const dataDir = join(folder, 'temporal');
    server = await startTemporal({ ...options, temporal, dataDir, logFile: join(folder, 'temporal.log') });
  });
  afterAll(async () => {
    await server?.stop();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });
  return () => server!;
}
