import type { ValidationFault } from '../../../../data/errors.ts';
import { edgeFaults } from './edges.ts';
import { type Graph, graphForm } from './graph.ts';
import type { KnownNode, Loc } from './known-node.ts';
import { parameterFaults } from './parameters.ts';
import { type ReadNode, readGraph } from './read-graph.ts';
import { cycleFaults, referenceFaults } from './references.ts';

/** More would not help anyone who corrects them. */
const maxFaults = 100;

/** What of a node can be examined further. */
export interface NodeToExamine {
  type: string;
  /** What of it is right by itself. */
  config: Record<string, unknown>;
}

/** A graph that holds together, or its faults with their locations and what of it can be examined further. */
export type Validated =
  | { graph: Graph }
  | {
      faults: ValidationFault[];
      /** The nodes of known types, by their index. */
      nodes: ReadonlyMap<number, NodeToExamine>;
      /** Undefined unless they are right. */
      parameters: Graph['parameters'] | undefined;
    };

/** A fault in one part of the graph hides none in another. */
export function validateGraph(document: unknown, at: Loc = ['body', 'graph']): Validated {
  const { nodes, edges, parameters, faults: ofForm } = readGraph(document, at);
  const wrongParameters = parameters && parameterFaults(parameters, [...at, 'parameters']);
  const known = nodes.flatMap(asKnown);
  const faults = [
    ...ofForm,
    ...sameIds(nodes, at),
    ...(wrongParameters ?? []),
    ...edgeFaults({ nodes, edges, known }, at),
    ...referenceFaults({ nodes, parameters, known }, { at, limit: maxFaults }),
    ...cycleFaults({ nodes, edges }, at),
  ];
  if (faults.length === 0) return { graph: { ...graphForm.parse(document), nodes: wholeNodes(nodes) } };
  return {
    faults: faults.slice(0, maxFaults),
    nodes: new Map(
      nodes.flatMap(({ index, nodeType, rightConfig }) =>
        nodeType === undefined ? [] : [[index, { type: nodeType.type, config: rightConfig }]],
      ),
    ),
    parameters: wrongParameters?.length === 0 ? parameters : undefined,
  };
}

const asKnown = ({ index, id, nodeType }: ReadNode): KnownNode[] =>
  id === undefined || nodeType === undefined ? [] : [{ index, id, nodeType }];

const wholeNodes = (nodes: readonly ReadNode[]): Graph['nodes'] =>
  nodes.flatMap(({ node }) => (node === undefined ? [] : [node]));

function sameIds(nodes: readonly ReadNode[], at: Loc): ValidationFault[] {
  const seen = new Set<string>();
  return nodes.flatMap(({ index, id }) => {
    const isNew = id === undefined || !seen.has(id);
    if (id !== undefined) seen.add(id);
    if (isNew) return [];
    return [{ loc: [...at, 'nodes', index, 'id'], type: 'value_error', msg: `Two nodes have the id ${id}.` }];
  });
}
