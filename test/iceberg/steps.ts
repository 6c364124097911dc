import { expect } from 'vitest';
import { changingTable } from '../support/changing-table.ts';
import type { TestClient, Workspace } from '../support/workspace.ts';
import type { openEngines } from './engines.ts';

/** Does random things to a table; after each, both engines read what the service answers. */
export async function readAfterEach(
  workspace: Workspace,
  client: TestClient,
  engines: ReturnType<typeof openEngines>,
  { seed, steps, name }: { seed: number; steps: number; name: string },
): Promise<void> {
  const changing = await changingTable(workspace, client, { seed, name });
  for (let step = 0; step < steps; step += 1) {
    const done = await changing.change();
    const faults = await engines.compare(name);
    expect(faults, `step ${step}, ${done}, seed ${seed}`).toEqual({ pyiceberg: null, duckdb: null });
  }
}
