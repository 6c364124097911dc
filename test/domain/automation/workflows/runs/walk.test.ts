import { expect, test } from 'vitest';
import type { NodeEnd, PlannedNode } from '../../../../../workflows/automation/workflow-run/contract.ts';
import { walk } from '../../../../../workflows/automation/workflow-run/walk.ts';
import { createRandom, type Random } from '../../../../faults/random.ts';

const planned = (id: string, needs: PlannedNode['needs'], end: NodeEnd | null = null): PlannedNode => ({
  id,
  label: id,
  needs,
  timeoutSeconds: 60,
  end,
});

interface Drawn {
  node: PlannedNode;
  end: NodeEnd;
  ticks: number;
}

/** A random graph: each node needs earlier ones, through ports that may or may not deliver. */
function drawGraph(random: Random): Drawn[] {
  const many = <T>(max: number, draw: () => T) => Array.from({ length: random.int(0, max) }, draw);
  return Array.from({ length: random.int(1, 12) }, (_, index) => {
    const source = () => ({
      from: `n${random.int(0, index - 1)}`,
      port: random.pick(['a', 'b', 'done']),
    });
    const needs = index === 0 ? [] : many(3, () => [source(), ...many(2, source)]);
    const status = random.pick(['succeeded', 'succeeded', 'succeeded', 'failed', 'cancelled'] as const);
    const ports = status === 'succeeded' ? [...['a', 'b'].filter(() => random.chance(0.5)), 'done'] : [];
    return { node: planned(`n${index}`, needs), end: { status, ports }, ticks: random.int(0, 3) };
  });
}

/** The rule, stated a second time: from the first node on, each is decided by its predecessors. */
function modelOf(drawn: readonly { node: PlannedNode; end: NodeEnd }[]) {
  const fate = new Map<string, 'run' | 'skip' | 'left'>();
  const ends = new Map(drawn.map(({ node, end }) => [node.id, end]));
  for (const { node } of drawn) {
    const states = node.needs.map((need) => {
      if (need.some(({ from }) => fate.get(from) === 'left')) return 'left';
      const live = need.some(
        ({ from, port }) => fate.get(from) === 'run' && ends.get(from)!.ports.includes(port),
      );
      if (live) return 'run';
      const isBroken = need.some(
        ({ from }) => fate.get(from) === 'run' && ends.get(from)!.status !== 'succeeded',
      );
      return isBroken ? 'left' : 'skip';
    });
    fate.set(node.id, states.includes('left') ? 'left' : states.includes('skip') ? 'skip' : 'run');
  }
  return fate;
}

test('every node runs, is skipped or is left as the rule says, after all that leads to it', async () => {
  const random = createRandom(1, 'graphs');
  for (let round = 0; round < 500; round += 1) {
    const drawn = drawGraph(random);
    const atOnce = random.int(1, 4);
    const fate = new Map<string, string>();
    const ended = new Set<string>();
    let underWay = 0;
    await walk(
      drawn.map(({ node }) => node),
      atOnce,
      {
        isStopped: () => false,
        skip: async (ids) => {
          for (const id of ids) fate.set(id, 'skip');
        },
        carryOut: async (node) => {
          expect(fate.has(node.id)).toBe(false);
          fate.set(node.id, 'run');
          underWay += 1;
          expect(underWay).toBeLessThanOrEqual(atOnce);
          for (const { from } of node.needs.flat())
            expect(ended.has(from) || fate.get(from) === 'skip').toBe(true);
          const { end, ticks } = drawn.find((one) => one.node.id === node.id)!;
          for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
          underWay -= 1;
          ended.add(node.id);
          return end;
        },
      },
    );
    const model = modelOf(drawn);
    for (const [id, wanted] of model) expect([id, fate.get(id) ?? 'left']).toEqual([id, wanted]);
  }
});

test('what was done before is not done again, and nothing begins once it is stopped', async () => {
  const done: NodeEnd = { status: 'succeeded', ports: ['done'] };
  const nodes = [
    planned('first', [], done),
    planned('second', [[{ from: 'first', port: 'done' }]]),
    planned('third', [[{ from: 'second', port: 'done' }]]),
  ];
  const run: string[] = [];
  await walk(nodes, 8, {
    isStopped: () => run.length > 0,
    skip: async () => undefined,
    carryOut: async ({ id }) => {
      run.push(id);
      return done;
    },
  });
  expect(run).toEqual(['second']);
});
