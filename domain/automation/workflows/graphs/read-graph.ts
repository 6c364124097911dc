import type { ValidationFault } from '../../../../data/errors.ts';
import { isRawNumber } from '../../../../data/exact-json.ts';
import { faultsOf } from '../../../../data/validation-faults.ts';
import { type Graph, type GraphNode, graphForm, maxEdges, maxNodes, nodeForm } from './graph.ts';
import type { Loc } from './known-node.ts';
import type { NodeType } from './node-type.ts';
import { findNodeType, nodeTypes } from './node-types.ts';

/** What can be read of a node that may have any fault. */
export interface ReadNode {
  index: number;
  id: string | undefined;
  nodeType: NodeType | undefined;
  config: Record<string, unknown>;
  /** Of its config, what is right by itself. */
  rightConfig: Record<string, unknown>;
  /** The whole node, if its form is right. */
  node: GraphNode | undefined;
}

export interface ReadEdge {
  index: number;
  from: string | undefined;
  to: string | undefined;
}

/** What can be read of a graph that may have any fault. */
export interface ReadGraph {
  nodes: readonly ReadNode[];
  /** Undefined if they, or the nodes, aren't a list. */
  edges: readonly ReadEdge[] | undefined;
  /** Undefined if they aren't a map. */
  parameters: Graph['parameters'] | undefined;
  /** The faults of its form and of each node by itself. */
  faults: ValidationFault[];
}

export function readGraph(document: unknown, at: Loc): ReadGraph {
  const form = graphForm.safeParse(document, { reportInput: true });
  const given = isMap(document) ? document : {};
  const faults = form.success ? [] : faultsOf(form.error.issues, at);
  // Too many nodes or edges are not examined at all.
  const nodes = listOf(given['nodes'] ?? [], maxNodes);
  const read = (nodes ?? []).map((node, index) => readNode(node, index, [...at, 'nodes', index]));
  const { edges = [], parameters = {} } = given;
  return {
    nodes: read.map(({ node }) => node),
    edges: nodes && listOf(edges, maxEdges)?.map(readEdge),
    parameters: isMap(parameters) ? parameters : undefined,
    faults: [...faults, ...read.flatMap((part) => part.faults)],
  };
}

function readNode(given: unknown, index: number, loc: Loc): { node: ReadNode; faults: ValidationFault[] } {
  const form = nodeForm.safeParse(given, { reportInput: true });
  const { id, type, config = {} } = isMap(given) ? given : {};
  const nodeType = findNodeType(type);
  const ownConfig = isMap(config) ? config : undefined;
  const parsed = ownConfig && nodeType?.config.safeParse(ownConfig, { reportInput: true });
  const issues = parsed?.error?.issues ?? [];
  const wrong = new Set(
    issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : issue.path.slice(0, 1))),
  );
  const node: ReadNode = {
    index,
    id: typeof id === 'string' ? id : undefined,
    nodeType,
    config: ownConfig ?? {},
    rightConfig: Object.fromEntries(Object.entries(ownConfig ?? {}).filter(([key]) => !wrong.has(key))),
    node: form.data,
  };
  const faults = form.success ? [] : faultsOf(form.error.issues, loc);
  if (typeof type === 'string' && nodeType === undefined) {
    const msg = `There is no node type ${type}. The types are ${nodeTypes.map((nodeType) => nodeType.type).join(', ')}.`;
    faults.push({ loc: [...loc, 'type'], type: 'enum', msg });
  }
  return { node, faults: [...faults, ...faultsOf(issues, [...loc, 'config'])] };
}

function readEdge(given: unknown, index: number): ReadEdge {
  const { from, to } = isMap(given) ? given : {};
  const textOf = (end: unknown) => (typeof end === 'string' ? end : undefined);
  return { index, from: textOf(from), to: textOf(to) };
}

const listOf = (value: unknown, most: number): readonly unknown[] | undefined =>
  Array.isArray(value) && value.length <= most ? value : undefined;

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
