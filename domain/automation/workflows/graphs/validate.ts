import type { ValidationFault } from '../../../../data/errors.ts';
import { faultsOf } from '../../../../data/validation-faults.ts';
import { edgeFaults } from './edges.ts';
import { type Graph, type GraphNode, graphForm, maxNodes, nodeForm } from './graph.ts';
import type { KnownNode, Loc } from './known-node.ts';
import type { NodeType } from './node-type.ts';
import { findNodeType, nodeTypes } from './node-types.ts';
import { parameterFaults } from './parameters.ts';
import { cycleFaults, referenceFaults } from './references.ts';

/** More would not help anyone who corrects them. */
const maxFaults = 100;

/** A graph that holds together, or its faults with their locations and what of it can be examined further. */
export type Validated =
  | { graph: Graph }
  | {
      faults: ValidationFault[];
      /** The nodes that are right by themselves, by their index. */
      nodes: ReadonlyMap<number, GraphNode>;
      /** Undefined unless they are right. */
      parameters: Graph['parameters'] | undefined;
    };

export function validateGraph(document: unknown, at: Loc = ['body', 'graph']): Validated {
  const form = graphForm.safeParse(document, { reportInput: true });
  // Of a graph whose form is wrong, the nodes are examined alone; too many of them are not examined at all.
  const given = form.success ? form.data.nodes : nodesOf(document);
  const faults: ValidationFault[] = form.success ? [] : faultsOf(form.error.issues, at);
  const known = new Map<string, KnownNode>();
  const places = new Map<string, number>();
  const read: GraphNode[] = [];
  const right = new Map<number, GraphNode>();
  for (const [index, one] of given.entries()) {
    const found = readNode(one, [...at, 'nodes', index]);
    faults.push(...found.faults);
    if (found.node === undefined) continue;
    read.push(found.node);
    places.set(found.node.id, index);
    if (found.faults.length === 0) right.set(index, found.node);
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
  if (!form.success) return { faults: faults.slice(0, maxFaults), nodes: right, parameters: undefined };
  const { edges, parameters } = form.data;
  const wrongParameters = parameterFaults(parameters, [...at, 'parameters']);
  const graph: Graph = { version: 1, parameters, nodes: read, edges };
  faults.push(
    ...wrongParameters,
    ...edgeFaults(graph, known, at),
    ...referenceFaults(graph, known, at),
    ...cycleFaults(graph, places, at),
  );
  if (faults.length === 0) return { graph };
  return {
    faults: faults.slice(0, maxFaults),
    nodes: right,
    parameters: wrongParameters.length === 0 ? parameters : undefined,
  };
}

/** The nodes of a graph whose form is wrong elsewhere. */
function nodesOf(document: unknown): readonly unknown[] {
  const nodes = (document as { nodes?: unknown } | null)?.nodes;
  return Array.isArray(nodes) && nodes.length <= maxNodes ? nodes : [];
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
