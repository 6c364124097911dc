import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestClient, useOwnWorkspace } from '../support/workspace.ts';
import { describeStack, hasCurl, runExample } from './run-example.ts';

/** A stack as started by a plain `npm start`. */
const workspace = useOwnWorkspace();
let dataDir: string;
let client: TestClient;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'closed-'));
  client = await workspace.organization();
  await workspace.listen();
  await describeStack(dataDir, workspace, client);
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

describe.skipIf(!hasCurl)('an example with servers of its own', () => {
  test.each(['replication.sh', 'workflow.sh'])(
    '%s says how to start a stack that may reach them',
    async (name) => {
      const { code, stdout, stderr } = await runExample(dataDir, name);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toBe(
        'This example runs servers on this machine. To let the service reach them, stop it and start it like this:\n' +
          `  WORKSPACE_DATA_DIR='${dataDir}' ALLOWED_PRIVATE_ADDRESSES=127.0.0.0/8 npm start\n`,
      );
      for (const url of ['/v1/connections/data', '/v1/projects', '/v1/workflows'])
        expect((await client.call('GET', url)).body.items, url).toEqual([]);
    },
  );
});
