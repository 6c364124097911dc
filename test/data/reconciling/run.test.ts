import { expect, test } from 'vitest';
import { AppError } from '../../../data/errors.ts';
import { runStep } from '../../../data/reconciling/run.ts';
import { itemsStep } from '../../../data/reconciling/step.ts';
import { useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();

/** The worker's log of items that failed. */
function listening() {
  const said: string[] = [];
  const warn = (fields: { item: string; attempts: number }) => said.push(`${fields.item} ${fields.attempts}`);
  return { said, deps: { db: workspace.deps.db, logger: { warn: warn as never } } };
}

const query = (statement: string) => workspace.deps.lake.catalogPool.query(statement);

async function waitOf(step: string): Promise<number> {
  const { rows } = await query(
    `SELECT extract(epoch FROM next_try_at - now()) AS wait FROM reconcile_tries WHERE step = '${step}'`,
  );
  return Number(rows[0].wait);
}

const again = (step: string) =>
  query(`UPDATE reconcile_tries SET next_try_at = now() - interval '1 second' WHERE step = '${step}'`);

test('an item that fails waits longer each time, and is told with its attempts', async () => {
  const { said, deps } = listening();
  const step = itemsStep(
    'failing',
    async () => [{ id: 'a' }],
    async () => {
      throw new Error('broken');
    },
  );
  const waits: number[] = [];
  for (let round = 0; round < 8; round += 1) {
    await runStep(deps, step);
    waits.push(await waitOf('failing'));
    // It is not due yet.
    await runStep(deps, step);
    await again('failing');
  }
  expect(said).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((attempt) => `a ${attempt}`));
  expect(waits.map((wait) => Math.round(wait / 10) * 10)).toEqual([10, 20, 40, 80, 160, 320, 600, 600]);
});

test('a store that is away says nothing about the item: as soon as it is back, so is the item', async () => {
  const { deps } = listening();
  const step = itemsStep(
    'away',
    async () => [{ id: 'a' }],
    async () => {
      throw new AppError('workflows_unavailable', 'away');
    },
  );
  for (let round = 0; round < 8; round += 1) {
    await runStep(deps, step);
    expect(await waitOf('away')).toBeLessThan(11);
    await again('away');
  }
});

test('an item that hangs is given up after its time, and keeps no other waiting', async () => {
  const { said, deps } = listening();
  const done: string[] = [];
  const step = itemsStep(
    'hanging',
    async () => ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => ({ id })),
    async ({ id }) => {
      if (id === 'a' || id === 'c') await new Promise(() => undefined);
      done.push(id);
    },
  );
  await runStep(deps, step, 1);
  expect(done.sort()).toEqual(['b', 'd', 'e', 'f']);
  expect(said.sort()).toEqual(['a 1', 'c 1']);
});

test('workers share the items, and what one has done no other does again at once', async () => {
  const { deps } = listening();
  const done: string[] = [];
  const items = Array.from({ length: 20 }, (_, index) => ({ id: String(index) }));
  const step = itemsStep(
    'shared',
    async () => items,
    async ({ id }) => done.push(id),
  );
  await Promise.all([runStep(deps, step), runStep(deps, step), runStep(deps, step)]);
  expect(done).toHaveLength(20);
  await runStep(deps, step);
  expect(done).toHaveLength(20);
  await again('shared');
  await runStep(deps, step);
  expect(done).toHaveLength(40);
});

test('who was too slow lets go of nothing that somebody else has taken up since', async () => {
  const { deps } = listening();
  let running = 0;
  let most = 0;
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const step = itemsStep(
    'slow',
    async () => [{ id: 'a' }],
    async () => {
      running += 1;
      most = Math.max(most, running);
      begun.resolve();
      await held.promise;
      running -= 1;
    },
  );
  const first = runStep(deps, step);
  await begun.promise;
  // Its claim expires, and another worker takes the item over.
  await again('slow');
  const second = runStep(deps, step);
  while (most < 2) await new Promise(setImmediate);
  held.resolve();
  await first;
  await second;
  // Only the current holder sets the time of the next attempt.
  expect(await waitOf('slow')).toBeLessThan(11);
});
