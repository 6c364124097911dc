import { afterAll, beforeAll, test } from 'vitest';
import { installEngines, openEngines } from '../../../iceberg/engines.ts';
import { readAfterEach } from '../../../iceberg/steps.ts';
import { useWorker } from '../../../support/worker.ts';
import { useOrganization, useWorkspace } from '../../../support/workspace.ts';

/** The long test does much more of it. */
const steps = { seed: 7, steps: 25, name: 'changing' };

const workspace = useWorkspace();
useWorker(workspace);
const client = useOrganization(workspace);
let engines: ReturnType<typeof openEngines> | undefined;
beforeAll(async () => {
  engines = openEngines(await installEngines(), await workspace.listen(), await client.token());
});
afterAll(() => engines?.close());

test('PyIceberg and DuckDB read what the service answers, after each of some changes', async () => {
  await readAfterEach(workspace, client, engines!, steps);
}, 300_000);
