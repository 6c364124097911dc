import { type TableStatistics, tableStatistics } from '../../../data/lake/ledger.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import { type CalculationStatus, calculationStatuses } from '../calculated-tables/status.ts';
import { type CurrentDefinitions, currentDefinitions } from '../definition-analyses/analyses.ts';
import type { DefinitionDeps } from '../definition-analyses/deps.ts';
import { findEnds, type LineageEnds } from './ends.ts';
import { columnInfluence, type LineageEdge, type LineageGraph, type LineageNode, maxNodes } from './graph.ts';
import { type Relation, type Walk, type Walked, walk } from './walk.ts';

export interface LineageDeps extends DefinitionDeps {
  lineageEnds: LineageEnds;
}

export interface LineageRequest extends Walk {
  callerId: string;
}

/** A graph with what is known about its tables and views besides. */
export interface Lineage extends LineageGraph {
  /** By id of a table or view; those of a broken view are not known. */
  columns: ReadonlyMap<string, readonly { name: string; dataType: string }[]>;
  /** By id of a view or calculated table. */
  queries: ReadonlyMap<string, string>;
}

/** What a table or view is made from and what is made from it, as far as the caller may see it. */
export async function lineageOf(deps: LineageDeps, request: LineageRequest): Promise<Lineage> {
  const { organizationId } = request;
  const walked = await inOrganization(deps.db, organizationId, (db) => walk(db, request));
  const reached = [...new Set([...walked.upstream.keys(), ...walked.downstream.keys()])];
  const relations = reached.flatMap((id) => walked.relations.get(id) ?? []);
  const idsOf = (...kinds: Relation['kind'][]) =>
    relations.flatMap(({ id, kind }) => (kinds.includes(kind) ? [id] : []));
  const { schema } = await deps.lake.catalog.get(organizationId);
  const [current, statuses, statistics] = await Promise.all([
    currentDefinitions(
      deps,
      organizationId,
      idsOf('view', 'calc'),
      relations.map(({ name }) => name),
    ),
    calculationStatuses(deps, organizationId, idsOf('calc')),
    tableStatistics(deps.lake.catalogPool, schema, reached),
  ]);
  const columns = new Map(relations.map((relation) => [relation.id, columnsOf(relation, current)]));
  const found = await inOrganization(deps.db, organizationId, (db) =>
    findEnds(db, deps.lineageEnds, {
      organizationId,
      callerId: request.callerId,
      limit: maxNodes,
      ...attachable(walked, request.depth, columns),
    }),
  );
  const nodes = new Map<string, { node: LineageNode; distance: number }>();
  for (const relation of relations)
    nodes.set(relation.id, {
      node: relationNode(relation, current, statuses, statistics),
      distance: distanceIn(walked, relation.id),
    });
  for (const { node, distance } of found.nodes)
    nodes.set(node.id, { node: { ...node, tableKind: null, status: null, version: null }, distance });
  return {
    ...cut([...nodes.values()], [...definitionEdges(relations, walked, current), ...found.edges]),
    ...(walked.truncated ? { truncated: true } : {}),
    columns,
    queries: new Map([...current.defined.values()].map(({ id, query }) => [id, query])),
  };
}

const distanceIn = ({ upstream, downstream }: Walked, id: string): number =>
  Math.min(upstream.get(id) ?? Number.POSITIVE_INFINITY, downstream.get(id) ?? Number.POSITIVE_INFINITY);

/** The tables and views whose ends are still within the depth. */
function attachable(walked: Walked, depth: number, columns: Lineage['columns']) {
  const within = (distances: ReadonlyMap<string, number>) =>
    [...distances].flatMap(([id, distance]) => {
      const relation = walked.relations.get(id);
      if (relation === undefined || distance >= depth) return [];
      return [{ id, name: relation.name, columns: (columns.get(id) ?? []).map(({ name }) => name) }];
    });
  return {
    upstream: within(walked.upstream),
    downstream: within(walked.downstream),
    distanceOf: (id: string) => distanceIn(walked, id),
  };
}

function columnsOf({ id, name }: Relation, { analyzed, defined, physical }: CurrentDefinitions) {
  const stored = physical.get(name.toLowerCase())?.columns;
  if (stored !== undefined) return stored;
  const found = defined.has(id) ? analyzed.get(id) : undefined;
  return found === undefined || 'failure' in found ? [] : found.columns;
}

function relationNode(
  { id, name, kind }: Relation,
  { analyzed }: CurrentDefinitions,
  statuses: ReadonlyMap<string, CalculationStatus>,
  statistics: ReadonlyMap<string, TableStatistics>,
): LineageNode {
  if (kind === 'view') {
    const found = analyzed.get(id);
    const status = found === undefined || 'failure' in found ? 'broken' : 'valid';
    return { id, kind: 'view', name, tableKind: null, status, version: null };
  }
  return {
    id,
    kind: 'table',
    name,
    tableKind: kind === 'system' ? null : kind,
    status: statuses.get(id) ?? null,
    version: statistics.get(id)?.version ?? null,
  };
}

function definitionEdges(
  relations: readonly Relation[],
  { graph }: Walked,
  { analyzed }: CurrentDefinitions,
): LineageEdge[] {
  return relations.flatMap(({ id: to }) => {
    const found = analyzed.get(to);
    const edges = new Map(
      graph.reads(to).map((from): [string, LineageEdge] => [from, { from, to, columns: [] }]),
    );
    if (found !== undefined && !('failure' in found))
      for (const [position, origins] of (found.origins ?? []).entries())
        for (const { relationId, column, influence } of origins)
          edges
            .get(relationId)
            ?.columns.push(columnInfluence(column, found.columns[position]!.name, influence));
    return [...edges.values()];
  });
}

/** Nearest first; the edges are those between nodes that are left. */
function cut(nodes: { node: LineageNode; distance: number }[], edges: readonly LineageEdge[]): LineageGraph {
  const kept = nodes
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, maxNodes)
    .map(({ node }) => node);
  const ids = new Set(kept.map(({ id }) => id));
  return {
    nodes: kept,
    edges: edges.filter(({ from, to }) => ids.has(from) && ids.has(to)),
    truncated: nodes.length > maxNodes,
  };
}
