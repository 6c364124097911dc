import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import type { LineageEdge, LineageNode } from './graph.ts';

/** A node to which ends may be attached. */
export interface Attached {
  id: string;
  name: string;
  /** Names of a table's columns; empty for other nodes. */
  columns: readonly string[];
}

export interface EndsRequest {
  organizationId: string;
  /** Who asks: what is private to others is not there. */
  callerId: string;
  /** Nearest first, so that what is cut is what is furthest. */
  of: readonly Attached[];
  /** Maximum number of ends. */
  limit: number;
}

/** An end has no versions and no status of its own. */
export type EndNode = Pick<LineageNode, 'id' | 'kind' | 'name'>;

/** An end and its edge to or from the node that it is attached to. */
export interface End {
  node: EndNode;
  edge: LineageEdge;
}

/** Finds what is attached to these nodes, in a transaction that sees only what the caller may see. */
export type FindEnds = (db: OrganizationTransaction, request: EndsRequest) => Promise<End[]>;

/**
 * Where lineage begins and ends outside the tables. The features that know it are in higher layers, and are
 * put together where the service is opened.
 */
export interface LineageEnds {
  /** Files and datasets from which tables are filled. */
  sources: readonly FindEnds[];
  /** Reports and workflows that are made from tables. */
  uses: readonly FindEnds[];
  /** Playbooks and workflows that made reports. */
  makers: readonly FindEnds[];
}

export interface FoundEnds {
  /** With their distances from the table that is asked for. */
  nodes: { node: EndNode; distance: number }[];
  edges: LineageEdge[];
}

interface AttachedTo extends Omit<EndsRequest, 'of'> {
  /** The tables whose sources and uses to find, nearest first. */
  upstream: readonly Attached[];
  downstream: readonly Attached[];
  distanceOf(id: string): number;
}

/** A report comes with what made it, which is at the same distance. */
export async function findEnds(
  db: OrganizationTransaction,
  { sources, uses, makers }: LineageEnds,
  { upstream, downstream, distanceOf, ...request }: AttachedTo,
): Promise<FoundEnds> {
  const ask = async (finders: readonly FindEnds[], of: readonly Attached[]) => {
    const found: End[] = [];
    if (of.length > 0) for (const find of finders) found.push(...(await find(db, { ...request, of })));
    return found;
  };
  const before = await ask(sources, upstream);
  const after = await ask(uses, downstream);
  const nodes = new Map<string, { node: EndNode; distance: number }>();
  const note = (node: EndNode, distance: number) => {
    const known = nodes.get(node.id);
    if (known === undefined || known.distance > distance) nodes.set(node.id, { node, distance });
  };
  for (const { node, edge } of before) note(node, distanceOf(edge.to) + 1);
  for (const { node, edge } of after) note(node, distanceOf(edge.from) + 1);
  const reports = [...nodes.values()].flatMap(({ node: { id, kind, name } }) =>
    kind === 'report' ? [{ id, name, columns: [] }] : [],
  );
  const made = await ask(makers, reports);
  for (const { node, edge } of made) note(node, nodes.get(edge.to)!.distance);
  return { nodes: [...nodes.values()], edges: [...before, ...after, ...made].map(({ edge }) => edge) };
}
