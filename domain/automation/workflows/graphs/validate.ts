import type { ValidationFault } from '../../../../data/errors.ts';
import { faultsOf } from '../../../../data/validation-faults.ts';
import { edgeFaults } from './edges.ts';
import { type Graph, type GraphNode, graphForm, nodeForm } from './graph.ts';
import type { KnownNode, Loc } from './known-node.ts';
import type { NodeType } from './node-type.ts';
import { findNodeType, nodeTypes } from './node-types.ts';
import { parameterFaults } from './parameters.ts';
import { cycleFaults, referenceFaults } from './references.ts';

/** More would not help anyone who corrects them. */
const maxFaults = 100;

/** The graph, or its faults with their locations. */
export function validateGraph(
  document: unknown,
  at: Loc = ['body', 'graph'],
): { graph: Graph } | { faults: ValidationFault[] } {
  const form = graphForm.safeParse(document, { reportInput: true });
  // A graph with too many nodes is not examined further.
  if (!form.success) return { faults: faultsOf(form.error.issues, at) };
  const { nodes, edges, parameters } = form.data;
  const faults: ValidationFault[] = parameterFaults(parameters, [...at, 'parameters']);
  const known = new Map<string, KnownNode>();
  const read: GraphNode[] = [];
  for (const [index, given] of nodes.entries()) {
    const found = readNode(given, [...at, 'nodes', index]);
    faults.push(...found.faults);
    if (found.node === undefined) continue;
    read.push(found.node);
    const { id } = found.node;
    if (known.has(id))
      faults.push({
        loc: [...at, 'nodes', index, 'id'],
        type: 'value_error',
        msg: `Two nodes are called ${id}.`,
      });
    else if (found.nodeType !== undefined)
      known.set(id, { index, node: found.node, nodeType: found.nodeType });
  }
  const graph: Graph = { version: 1, parameters, nodes: read, edges };
  faults.push(...edgeFaults(graph, known, at), ...referenceFaults(graph, known, at));
  // A node that could not be read would be reported as missing wherever it is referred to.
  if (known.size === nodes.length) faults.push(...cycleFaults(graph, known, at));
  return faults.length === 0 ? { graph } : { faults: faults.slice(0, maxFaults) };
}

function readNode(
  given: unknown,
  loc: Loc,
): { node?: GraphNode; nodeType?: NodeType; faults: ValidationFault[] } {
  const form = nodeForm.safeParse(given, { reportInput: true });
  if (!form.success) return { faults: faultsOf(form.error.issues, loc) };
  const node = form.data;
  const nodeType = findNodeType(node.type);
  if (nodeType === undefined) {
    const msg = `No node is of the type ${node.type}; there are ${nodeTypes.map(({ type }) => type).join(', ')}.`;
    return { node, faults: [{ loc: [...loc, 'type'], type: 'enum', msg }] };
  }
  const config = nodeType.config.safeParse(node.config, { reportInput: true });
  return {
    node,
    nodeType,
    faults: config.success ? [] : faultsOf(config.error.issues, [...loc, 'config']),
  };
}
