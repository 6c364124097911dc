import type { ValidationFault } from '../../../../data/errors.ts';
import type { Graph } from './graph.ts';
import { type KnownNode, type Loc, outputsOf, splitEnd } from './known-node.ts';
import { findCycle } from './order.ts';
import { placeholdersIn } from './placeholders.ts';

/** Placeholders that refer to nothing. */
export function referenceFaults(
  { parameters, nodes }: Graph,
  known: ReadonlyMap<string, KnownNode>,
  at: Loc,
): ValidationFault[] {
  const ids = new Set(nodes.map(({ id }) => id));
  return [...known.values()].flatMap(({ index, node }) =>
    placeholdersIn(node.config).flatMap(({ path, text, of, name }) => {
      const msg = referenceFault({ text, of, name }, { parameters, ids, known });
      return msg === undefined
        ? []
        : [{ loc: [...at, 'nodes', index, 'config', ...path], type: 'value_error', msg }];
    }),
  );
}

function referenceFault(
  { text, of, name }: { text: string; of: string | undefined; name: string | undefined },
  {
    parameters,
    ids,
    known,
  }: {
    parameters: Graph['parameters'];
    ids: ReadonlySet<string>;
    known: ReadonlyMap<string, KnownNode>;
  },
): string | undefined {
  if (of === undefined || name === undefined)
    return `\${${text}} names nothing: write \${params.name} or \${node.port}.`;
  if (of === 'params')
    return Object.hasOwn(parameters, name) ? undefined : `\${${text}} names no parameter of the graph.`;
  if (!ids.has(of)) return `\${${text}} names no node of the graph.`;
  const node = known.get(of);
  if (node === undefined || node.nodeType.outputs.some((port) => port.name === name)) return undefined;
  return `\${${text}} names no output of ${of}, a ${node.node.type}; it has ${outputsOf(node)}.`;
}

/** A text that refers to a node depends on it, as an edge does. */
export function cycleFaults(
  { nodes, edges }: Graph,
  /** The index of each node, by its id. */
  places: ReadonlyMap<string, number>,
  at: Loc,
): ValidationFault[] {
  const waitsFor = new Map(nodes.map(({ id }) => [id, new Set<string>()]));
  // With two nodes of one id it is not clear which is meant.
  if (waitsFor.size < nodes.length) return [];
  for (const { from, to } of edges) {
    const source = splitEnd(from)[0];
    if (waitsFor.has(source)) waitsFor.get(splitEnd(to)[0])?.add(source);
  }
  for (const { id, config } of nodes)
    for (const { of } of placeholdersIn(config))
      if (of !== undefined && places.has(of)) waitsFor.get(id)?.add(of);
  const cycle = findCycle(
    nodes.map(({ id }) => id),
    waitsFor,
  );
  if (cycle === undefined) return [];
  const index = places.get(cycle[0]!)!;
  const msg = `The nodes wait for one another in a cycle: ${cycle.join(' → ')}.`;
  return [{ loc: [...at, 'nodes', index], type: 'value_error', msg }];
}
