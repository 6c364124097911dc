import type { NodeEnd, PlannedNode } from './contract.ts';

export interface WalkSteps {
  /** Executes a node; never rejects. Undefined if it is left under way. */
  carryOut(node: PlannedNode): Promise<NodeEnd | undefined>;
  /** Skips nodes without a live input. */
  skip(nodeIds: string[]): Promise<void>;
  /** When true, no further node begins. */
  isStopped(): boolean;
}

type Decision = 'open' | 'run' | 'skip' | 'blocked';

/**
 * Walks a graph: each node begins as soon as everything leading to it has ended, at most `atOnce` at a time.
 * A node runs if each of its inputs has at least one live output, and is skipped otherwise; nodes that depend
 * on a failed node do not run.
 */
export async function walk(
  nodes: readonly PlannedNode[],
  atOnce: number,
  { carryOut, skip, isStopped }: WalkSteps,
): Promise<void> {
  const ends = new Map(nodes.flatMap(({ id, end }) => (end === null ? [] : [[id, end] as const])));
  const running = new Map<string, Promise<void>>();
  const open = nodes.filter(({ end }) => end === null);
  for (;;) {
    const skipped = takeSkipped(open, ends);
    if (skipped.length > 0) await skip(skipped);
    for (const node of [...open]) {
      if (isStopped() || running.size >= atOnce) break;
      if (decide(node, ends) !== 'run') continue;
      open.splice(open.indexOf(node), 1);
      running.set(
        node.id,
        carryOut(node).then((end) => {
          if (end !== undefined) ends.set(node.id, end);
          running.delete(node.id);
        }),
      );
    }
    if (running.size === 0) return;
    await Promise.race(running.values());
  }
}

/** Nodes behind a skipped one are skipped with it. */
function takeSkipped(open: PlannedNode[], ends: Map<string, NodeEnd>): string[] {
  const skipped: string[] = [];
  for (let found = true; found; ) {
    found = false;
    for (const node of [...open]) {
      if (decide(node, ends) !== 'skip') continue;
      ends.set(node.id, { status: 'skipped', ports: [] });
      open.splice(open.indexOf(node), 1);
      skipped.push(node.id);
      found = true;
    }
  }
  return skipped;
}

/** Whether a node can be decided yet, and how. */
export function decide({ needs }: PlannedNode, ends: ReadonlyMap<string, NodeEnd>): Decision {
  let decision: Decision = 'run';
  for (const need of needs) {
    const sources = need.map(({ from, port }) => ({ end: ends.get(from), port }));
    if (sources.some(({ end }) => end === undefined)) return 'open';
    const isLive = sources.some(({ end, port }) => end!.ports.includes(port));
    if (isLive) continue;
    if (sources.some(({ end }) => end!.status === 'failed' || end!.status === 'cancelled')) return 'blocked';
    decision = 'skip';
  }
  return decision;
}
