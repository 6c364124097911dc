import { afterAll, beforeAll, test } from 'vitest';
import { installEngines, openEngines } from '../../../iceberg/engines.ts';
import { readAfterEach } from '../../../iceberg/steps.ts';
import { useWorker } from '../../../support/worker.ts';
import { useOrganization, useWorkspace } from '../../../support/workspace.ts';

const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const all = Number(process.env['STEPS'] ?? 200);
const steps = 50;

const workspace = useWorkspace();
useWorker(workspace);
const client = useOrganization(workspace);
let engines: ReturnType<typeof openEngines> | undefined;
beforeAll(async () => {
  engines = openEngines(await installEngines(), await workspace.listen(), await client.token());
});
afterAll(() => engines?.close());

test(`PyIceberg and DuckDB read what the service answers: ${all} steps, seed ${seed}`, async () => {
  for (let table = 0; table * steps < all; table += 1)
    await readAfterEach(workspace, client, engines!, { seed: seed + table, steps, name: `t_${table}` });
}, 3_600_000);
