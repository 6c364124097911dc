import type { ValidationFault } from '../../../../data/errors.ts';
import { type KnownNode, type Loc, outputsOf, splitEnd } from './known-node.ts';
import { findCycles } from './order.ts';
import { type Placeholder, placeholdersIn } from './placeholders.ts';
import type { ReadGraph } from './read-graph.ts';

/** Placeholders that refer to nothing: the first `limit` of them. */
export function referenceFaults(
  { nodes, parameters, known }: Pick<ReadGraph, 'nodes' | 'parameters'> & { known: readonly KnownNode[] },
  { at, limit }: { at: Loc; limit: number },
): ValidationFault[] {
  const ids = new Set(nodes.map(({ id }) => id));
  const knownById = new Map(known.toReversed().map((node) => [node.id, node]));
  const faults: ValidationFault[] = [];
  for (const { index, config } of nodes)
    for (const { path, ...reference } of placeholdersIn(config)) {
      const msg = referenceFault(reference, { parameters, ids, knownById });
      if (msg === undefined) continue;
      faults.push({ loc: [...at, 'nodes', index, 'config', ...path], type: 'value_error', msg });
      if (faults.length === limit) return faults;
    }
  return faults;
}

interface References {
  parameters: ReadGraph['parameters'];
  ids: ReadonlySet<string | undefined>;
  knownById: ReadonlyMap<string, KnownNode>;
}

function referenceFault(
  { text, of, name }: Pick<Placeholder, 'text' | 'of' | 'name'>,
  { parameters, ids, knownById }: References,
): string | undefined {
  if (of === undefined || name === undefined)
    return `\${${text}} isn't a reference. Write \${params.name} or \${node.port}.`;
  if (of === 'params')
    return parameters === undefined || Object.hasOwn(parameters, name)
      ? undefined
      : `\${${text}} doesn't match any parameter of the graph.`;
  if (!ids.has(of)) return `\${${text}} doesn't match any node of the graph.`;
  const node = knownById.get(of);
  if (node === undefined || node.nodeType.outputs.some((port) => port.name === name)) return undefined;
  return `\${${text}} doesn't match any output of ${of}, a ${node.nodeType.type} node. Its outputs: ${outputsOf(node)}.`;
}

/** A text that refers to a node depends on it, as an edge does. */
export function cycleFaults(
  { nodes, edges = [] }: Pick<ReadGraph, 'nodes' | 'edges'>,
  at: Loc,
): ValidationFault[] {
  const withId = (wanted: string) => nodes.filter(({ id }) => id === wanted);
  // Of two nodes with one id it is not clear which is meant.
  const named = nodes.flatMap((node) =>
    node.id !== undefined && withId(node.id).length === 1 ? [{ ...node, id: node.id }] : [],
  );
  const waitsFor = new Map(named.map(({ id }) => [id, new Set<string>()]));
  const wait = (id: string, source: string) => {
    if (waitsFor.has(source)) waitsFor.get(id)?.add(source);
  };
  for (const { from, to } of edges)
    if (from !== undefined && to !== undefined) wait(splitEnd(to)[0], splitEnd(from)[0]);
  for (const { id, config } of named)
    for (const { of } of placeholdersIn(config)) if (of !== undefined) wait(id, of);
  return findCycles(waitsFor).map((cycle) => ({
    loc: [...at, 'nodes', named.find(({ id }) => id === cycle[0])!.index],
    type: 'value_error',
    msg: `These nodes wait for each other in a cycle: ${cycle.join(' → ')}.`,
  }));
}
