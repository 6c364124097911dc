import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { startDataEvents } from '../../worker/data-events.ts';
import { useWorker } from '../support/worker.ts';
import { type TestClient, useWorkspace } from '../support/workspace.ts';
import { describeStack, runExample } from './run-example.ts';

/** A stack for the examples, which runs one and returns what it printed. */
export function useTour() {
  const workspace = useWorkspace();
  useWorker(workspace);
  let dataEvents: ReturnType<typeof startDataEvents>;
  let dataDir = '';
  let client!: TestClient;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'tour-'));
    client = await workspace.organization();
    await workspace.listen();
    await describeStack(dataDir, workspace, client);
    dataEvents = startDataEvents(workspace.activityDeps);
  });
  afterAll(async () => {
    await dataEvents.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
  return {
    dataDir: () => dataDir,
    tour: (name = 'tour.sh', given: readonly string[] = []) => runExample(dataDir, name, given),
    /** The stack is described with another secret from here on. */
    forgetSecret: () => describeStack(dataDir, workspace, { ...client, clientSecret: 'wrong' }),
  };
}
