import type { ValidationFault } from '../../../../data/errors.ts';
import type { Graph } from './graph.ts';
import { inputsOf, type KnownNode, type Loc, outputsOf, splitEnd } from './known-node.ts';
import type { InputPort } from './node-type.ts';

/** Every node has `done` and `start`, which only define order. */
const outputOf = ({ nodeType }: KnownNode, port: string) =>
  port === 'done' ? ('order' as const) : nodeType.outputs.find(({ name }) => name === port)?.type;

const startPort: InputPort = { name: 'start', types: [], required: false, many: true };
const inputOf = ({ nodeType }: KnownNode, port: string): InputPort | undefined =>
  port === 'start' ? startPort : nodeType.inputs.find(({ name }) => name === port);

/** Edges with a missing end, edges between incompatible ports, and required inputs without an edge. */
export function edgeFaults(
  { edges, nodes }: Graph,
  known: ReadonlyMap<string, KnownNode>,
  at: Loc,
): ValidationFault[] {
  const faults: ValidationFault[] = [];
  const indexOf = new Map(nodes.map(({ id }, index) => [id, index]));
  const taken = new Map<string, number>();
  for (const [index, { from, to }] of edges.entries()) {
    const [source, output] = splitEnd(from);
    const [target, input] = splitEnd(to);
    // Reported at the wrong port; for an edge with a missing node, at the end that exists.
    const atSource = [...at, ...(placeOf(indexOf, source, 'outputs', output) ?? ['edges', index, 'from'])];
    const atTarget = [...at, ...(placeOf(indexOf, target, 'inputs', input) ?? ['edges', index, 'to'])];
    const fault = (loc: Loc, msg: string) =>
      faults.push({ loc, type: 'value_error', msg: `Edge ${index} (${from} → ${to}): ${msg}` });
    const missing = (name: string) => `no node is called ${name}; write node.port.`;
    if (!indexOf.has(source)) fault(indexOf.has(target) ? atTarget : atSource, missing(source));
    if (!indexOf.has(target)) fault(indexOf.has(source) ? atSource : atTarget, missing(target));
    const [of, into] = [known.get(source), known.get(target)];
    if (of === undefined || into === undefined) continue;
    const given = outputOf(of, output);
    const wanted = inputOf(into, input);
    if (given === undefined)
      fault(
        atSource,
        `${source} is a ${of.node.type}, which has no output ${output}; it has ${outputsOf(of)}.`,
      );
    if (wanted === undefined)
      fault(
        atTarget,
        `${target} is a ${into.node.type}, which has no input ${input}; it has ${inputsOf(into)}.`,
      );
    if (given === undefined || wanted === undefined) continue;
    if (wanted !== startPort && (given === 'order' || !wanted.types.includes(given)))
      fault(
        atTarget,
        `${from} gives ${given === 'order' ? 'order alone' : given}; ${to} takes ${wanted.types.join(', ')}.`,
      );
    const before = taken.get(to);
    if (before !== undefined && !wanted.many)
      fault(atTarget, `${to} takes one edge, and has edge ${before} already.`);
    taken.set(to, index);
  }
  for (const { index, node, nodeType } of known.values()) {
    for (const { name, required } of nodeType.inputs) {
      if (!required || taken.has(`${node.id}.${name}`)) continue;
      const msg = `${node.id} is a ${node.type}, whose input ${name} must have an edge.`;
      faults.push({ loc: [...at, 'nodes', index, 'inputs', name], type: 'missing', msg });
    }
  }
  return faults;
}

function placeOf(
  indexOf: ReadonlyMap<string, number>,
  node: string,
  side: 'inputs' | 'outputs',
  port: string,
): Loc | undefined {
  const index = indexOf.get(node);
  return index === undefined ? undefined : ['nodes', index, side, port];
}
