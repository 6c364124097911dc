/**
 * Cycles among nodes that wait for each other, each with its first node repeated at the end. Every cycle that
 * there is has an edge that closes one of them, so that without those edges there is none.
 */
export function findCycles(waitsFor: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const state = new Map<string, 'open' | 'done'>();
  const way: string[] = [];
  const cycles: string[][] = [];
  const walk = (node: string): void => {
    if (state.get(node) === 'done') return;
    if (state.get(node) === 'open') {
      cycles.push([...way.slice(way.indexOf(node)), node].reverse());
      return;
    }
    state.set(node, 'open');
    way.push(node);
    for (const before of waitsFor.get(node) ?? []) walk(before);
    way.pop();
    state.set(node, 'done');
  };
  for (const node of waitsFor.keys()) walk(node);
  return cycles;
}
