import { isDeepStrictEqual } from 'node:util';

/** Changes in a version, by node ids and by edges as written. */
export interface VersionChanges {
  nodesAdded: string[];
  nodesRemoved: string[];
  nodesChanged: string[];
  edgesAdded: Edge[];
  edgesRemoved: Edge[];
}

interface Edge {
  from: string;
  to: string;
}

interface GraphDocument {
  nodes?: { id: string }[];
  edges?: Edge[];
}

/**
 * The difference between two valid graphs; without an earlier one, everything is new. Changes of secrets are
 * not detected.
 */
export function changesBetween(before: unknown, after: unknown): VersionChanges {
  const [old, now] = [(before ?? {}) as GraphDocument, after as GraphDocument];
  const oldNodes = new Map((old.nodes ?? []).map((node) => [node.id, node]));
  const nodes = new Map((now.nodes ?? []).map((node) => [node.id, node]));
  const oldEdges = new Map((old.edges ?? []).map((edge) => [keyOf(edge), edge]));
  const edges = new Map((now.edges ?? []).map((edge) => [keyOf(edge), edge]));
  const missing = <T>(of: ReadonlyMap<string, T>, from: ReadonlyMap<string, T>) =>
    [...of.keys()].filter((key) => !from.has(key));
  return {
    nodesAdded: missing(nodes, oldNodes),
    nodesRemoved: missing(oldNodes, nodes),
    nodesChanged: [...nodes.keys()].filter(
      (id) => oldNodes.has(id) && !isDeepStrictEqual(oldNodes.get(id), nodes.get(id)),
    ),
    edgesAdded: missing(edges, oldEdges).map((key) => edges.get(key)!),
    edgesRemoved: missing(oldEdges, edges).map((key) => oldEdges.get(key)!),
  };
}

const keyOf = ({ from, to }: Edge): string => `${from} ${to}`;
