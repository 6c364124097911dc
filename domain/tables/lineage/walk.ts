import { sql } from 'kysely';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type DefinitionGraph, loadGraph, reachable } from '../derived-relations/graph.ts';
import type { TableKind } from '../tables/registry.ts';
import { maxNodes } from './graph.ts';

export type Direction = 'upstream' | 'downstream' | 'both';

export interface Walk {
  organizationId: string;
  id: string;
  direction: Direction;
  depth: number;
}

export interface Relation {
  id: string;
  name: string;
  kind: TableKind;
}

/** The tables and views around one, with their distances from it; its own is 0 in each wanted direction. */
export interface Walked {
  graph: DefinitionGraph;
  relations: ReadonlyMap<string, Relation>;
  upstream: ReadonlyMap<string, number>;
  downstream: ReadonlyMap<string, number>;
  truncated: boolean;
}

/** What the caller may not see is not there, and nothing behind it is reached through it. */
export async function walk(
  db: OrganizationTransaction,
  { organizationId, id, direction, depth }: Walk,
): Promise<Walked> {
  const graph = await loadGraph(db, organizationId);
  const isWanted = (wanted: Direction) => direction === wanted || direction === 'both';
  const relations = await visibleRelations(db, organizationId, [
    id,
    ...(isWanted('upstream') ? reachable([id], graph.reads) : []),
    ...(isWanted('downstream') ? reachable([id], graph.readBy) : []),
  ]);
  const from = (wanted: Direction, next: (id: string) => readonly string[]): Distances =>
    isWanted(wanted)
      ? distances(id, (at) => next(at).filter((each) => relations.has(each)), depth)
      : { found: new Map(), isCut: false };
  const upstream = from('upstream', graph.reads);
  const downstream = from('downstream', graph.readBy);
  return {
    graph,
    relations,
    upstream: upstream.found,
    downstream: downstream.found,
    truncated: upstream.isCut || downstream.isCut,
  };
}

interface Distances {
  found: Map<string, number>;
  isCut: boolean;
}

async function visibleRelations(
  db: OrganizationTransaction,
  organizationId: string,
  ids: readonly string[],
): Promise<Map<string, Relation>> {
  const rows = await db
    .selectFrom('tables')
    .select(['id', 'name', 'kind'])
    .where('organization_id', '=', organizationId)
    .where('status', '=', 'ready')
    // One array, because a graph may have more ids than a statement has parameters.
    .where('id', '=', sql<string>`ANY(${ids}::text[])`)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

function distances(id: string, next: (id: string) => readonly string[], depth: number): Distances {
  const found = new Map([[id, 0]]);
  // What is added to a map while it is iterated is visited too.
  for (const [at, distance] of found) {
    if (distance === depth) break;
    for (const each of next(at)) {
      if (found.has(each)) continue;
      if (found.size === maxNodes) return { found, isCut: true };
      found.set(each, distance + 1);
    }
  }
  return { found, isCut: false };
}
