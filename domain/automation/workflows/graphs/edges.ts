import type { ValidationFault } from '../../../../data/errors.ts';
import { inputsOf, type KnownNode, type Loc, outputsOf, splitEnd } from './known-node.ts';
import type { InputPort } from './node-type.ts';
import type { ReadGraph } from './read-graph.ts';

/** Every node has `done` and `start`, which only define order. */
const outputOf = ({ nodeType }: KnownNode, port: string) =>
  port === 'done' ? ('order' as const) : nodeType.outputs.find(({ name }) => name === port)?.type;

const startPort: InputPort = { name: 'start', types: [], required: false, many: true };
const inputOf = ({ nodeType }: KnownNode, port: string): InputPort | undefined =>
  port === 'start' ? startPort : nodeType.inputs.find(({ name }) => name === port);

/** Edges with a missing end, edges between incompatible ports, and required inputs without an edge. */
export function edgeFaults(
  { edges, nodes, known }: Pick<ReadGraph, 'edges' | 'nodes'> & { known: readonly KnownNode[] },
  at: Loc,
): ValidationFault[] {
  // Which inputs have an edge is not known.
  if (edges === undefined) return [];
  const faults: ValidationFault[] = [];
  const indexOf = firstOf(nodes.map(({ id, index }) => [id, index]));
  const knownBy = firstOf(known.map((node) => [node.id, node]));
  const taken = new Map<string, number>();
  for (const { index, from, to } of edges) {
    const before = to === undefined ? undefined : taken.get(to);
    if (to !== undefined && before === undefined) taken.set(to, index);
    if (from === undefined || to === undefined) continue;
    const [source, output] = splitEnd(from);
    const [target, input] = splitEnd(to);
    // Reported at the wrong port; for an edge with a missing node, at the end that exists.
    const atSource = [...at, ...(placeOf(indexOf, source, 'outputs', output) ?? ['edges', index, 'from'])];
    const atTarget = [...at, ...(placeOf(indexOf, target, 'inputs', input) ?? ['edges', index, 'to'])];
    const fault = (loc: Loc, msg: string) =>
      faults.push({ loc, type: 'value_error', msg: `Edge ${index} (${from} → ${to}): ${msg}` });
    const missing = (name: string) => `there is no node ${name}. Write node.port.`;
    if (!indexOf.has(source)) fault(indexOf.has(target) ? atTarget : atSource, missing(source));
    if (!indexOf.has(target)) fault(indexOf.has(source) ? atSource : atTarget, missing(target));
    const [of, into] = [knownBy.get(source), knownBy.get(target)];
    const given = of && outputOf(of, output);
    const wanted = into && inputOf(into, input);
    if (of !== undefined && given === undefined)
      fault(
        atSource,
        `${source} is a ${of.nodeType.type} node, which has no output ${output}. Its outputs: ${outputsOf(of)}.`,
      );
    if (into !== undefined && wanted === undefined)
      fault(
        atTarget,
        `${target} is a ${into.nodeType.type} node, which has no input ${input}. Its inputs: ${inputsOf(into)}.`,
      );
    if (wanted === undefined) continue;
    if (given !== undefined && wanted !== startPort && (given === 'order' || !wanted.types.includes(given)))
      fault(
        atTarget,
        `${from} provides ${given === 'order' ? 'only an order' : given}, but ${to} accepts ${wanted.types.join(', ')}.`,
      );
    if (before !== undefined && !wanted.many)
      fault(atTarget, `${to} can have only one edge, and edge ${before} already leads to it.`);
  }
  for (const { index, id, nodeType } of known) {
    for (const { name, required } of nodeType.inputs) {
      if (!required || taken.has(`${id}.${name}`)) continue;
      const msg = `${id} is a ${nodeType.type} node. Its input ${name} must have an edge.`;
      faults.push({ loc: [...at, 'nodes', index, 'inputs', name], type: 'missing', msg });
    }
  }
  return faults;
}

/** Of several nodes with one id, the first. */
function firstOf<Value>(entries: readonly [string | undefined, Value][]): Map<string | undefined, Value> {
  return new Map([...entries].reverse());
}

function placeOf(
  indexOf: ReadonlyMap<string | undefined, number>,
  node: string,
  side: 'inputs' | 'outputs',
  port: string,
): Loc | undefined {
  const index = indexOf.get(node);
  return index === undefined ? undefined : ['nodes', index, side, port];
}
