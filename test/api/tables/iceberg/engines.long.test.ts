import { afterAll, beforeAll, expect, test } from 'vitest';
import { installEngines, openEngines } from '../../../iceberg/engines.ts';
import { changingTable } from '../../../support/changing-table.ts';
import { useWorker } from '../../../support/worker.ts';
import { useOrganization, useWorkspace } from '../../../support/workspace.ts';

const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const steps = Number(process.env['STEPS'] ?? 200);
const stepsOfTable = 50;

const workspace = useWorkspace();
useWorker(workspace);
const client = useOrganization(workspace);
let engines: ReturnType<typeof openEngines> | undefined;
beforeAll(async () => {
  const folder = await installEngines();
  engines = openEngines(folder, await workspace.listen(), await client.token());
});
afterAll(() => engines?.close());

test(`PyIceberg and DuckDB read what the service answers: ${steps} steps, seed ${seed}`, async () => {
  for (let table = 0; table * stepsOfTable < steps; table += 1) {
    const name = `t_${table}`;
    const changing = await changingTable(workspace, client, { seed: seed + table, name });
    for (let step = 0; step < stepsOfTable; step += 1) {
      const done = await changing.change();
      const faults = await engines!.compare(name);
      expect(faults, `step ${step}, ${done}, seed ${seed + table}`).toEqual({
        pyiceberg: null,
        duckdb: null,
      });
    }
  }
}, 3_600_000);
