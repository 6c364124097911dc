/**
 * A cycle among nodes that wait for each other, with the first node repeated at the end; undefined if there
 * is none.
 */
export function findCycle(
  nodes: readonly string[],
  waitsFor: ReadonlyMap<string, ReadonlySet<string>>,
): string[] | undefined {
  const state = new Map<string, 'open' | 'done'>();
  const way: string[] = [];
  const walk = (node: string): string[] | undefined => {
    if (state.get(node) === 'done') return undefined;
    if (state.get(node) === 'open') return [...way.slice(way.indexOf(node)), node];
    state.set(node, 'open');
    way.push(node);
    for (const before of waitsFor.get(node) ?? []) {
      const cycle = walk(before);
      if (cycle !== undefined) return cycle;
    }
    way.pop();
    state.set(node, 'done');
    return undefined;
  };
  for (const node of nodes) {
    const cycle = walk(node);
    if (cycle !== undefined) return cycle.reverse();
  }
  return undefined;
}
