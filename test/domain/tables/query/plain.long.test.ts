import { expect, test } from 'vitest';
import { useWorker } from '../../../support/worker.ts';
import { useOrganization, useWorkspace } from '../../../support/workspace.ts';
import { readBothWays } from './plain-reads.ts';

const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const steps = Number(process.env['STEPS'] ?? 1_000);

const workspace = useWorkspace();
useWorker(workspace);
const client = useOrganization(workspace);

test(`tables read the same by their files and through the lake: ${steps} steps, seed ${seed}`, async () => {
  const tables = Math.ceil(steps / 100);
  let plain = 0;
  let compared = 0;
  for (let table = 0; table < tables; table += 1) {
    const found = await readBothWays(workspace, client, {
      seed: seed + table,
      steps: 100,
      name: `t_${table}`,
    });
    plain += found.plain;
    compared += found.compared;
  }
  expect(plain).toBeGreaterThan(compared / 3);
}, 3_600_000);
