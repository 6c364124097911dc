import { createRandom } from '../random.ts';
import { operationNo } from '../rows.ts';
import { runBatch } from './batch.ts';
import type { Lane, LoadContext } from './context.ts';
import { pauseBetween } from './rows-lanes.ts';

/** Batches of new rows, one after the other, next to others that write the same table. */
export function batchLane(
  context: LoadContext,
  seed: number,
  lane: number,
  table: 'appends' | 'whole',
): Lane {
  const random = createRandom(seed, `${table} batches ${lane}`);
  const mode = table === 'appends' ? 'append' : 'replace';
  let count = 0;
  return {
    name: `${table} batches ${lane}`,
    async step() {
      count += 1;
      const operation = { no: operationNo(lane, count), table, lane, rows: random.int(1, 400) } as const;
      await runBatch(context, { operation, mode, pages: random.int(1, 4), random });
      await pauseBetween(context, random.int(20, 300));
    },
  };
}

/** Provider snapshots of one data sync; the lane that may rotate its generation does so at any moment. */
export function snapshotLane(context: LoadContext, seed: number, lane: number, mayRotate: boolean): Lane {
  const random = createRandom(seed, `snapshot ${lane}`);
  let count = 0;
  return {
    name: `snapshot ${lane}`,
    async step() {
      count += 1;
      const operation = {
        no: operationNo(lane, count),
        table: 'snapshot',
        lane,
        rows: random.int(1, 400),
      } as const;
      const pages = random.int(1, 4);
      const before = random.int(0, pages);
      const meanwhile =
        mayRotate && random.chance(0.3)
          ? { meanwhile: { before, act: () => rotate(context, `generation ${operation.no}`) } }
          : {};
      await runBatch(context, { operation, mode: 'provider_snapshot', pages, random, ...meanwhile });
      await pauseBetween(context, random.int(20, 300));
    },
  };
}

async function rotate(context: LoadContext, generation: string): Promise<void> {
  const settled = await context.client.settle({
    kind: 'rotation',
    method: 'PUT',
    path: `/v1/data-syncs/${context.sync.id}/generation`,
    // Without a key: a delayed earlier attempt may undo a later rotation. Then pages are refused until the
    // next rotation, which is harmless; with a key, an open batch could be blocked for minutes.
    body: { generation },
  });
  if (settled.outcome === 'acknowledged') context.sync.generation = generation;
  if (settled.outcome === 'refused')
    context.journal.breach('unexpected', `rotation refused: ${JSON.stringify(settled.answer)}`);
}
