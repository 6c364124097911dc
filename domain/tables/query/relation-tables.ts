import type { QueryRelation } from './request.ts';

/** The tables among relations, and among what their views may name with the rights of who defined them. */
export function tablesAmong(relations: readonly QueryRelation[]): QueryRelation[] {
  const found = new Map<string, QueryRelation>();
  const queue = [...relations];
  for (const relation of queue) {
    if (found.has(relation.id)) continue;
    found.set(relation.id, relation);
    queue.push(...(relation.reads ?? []));
  }
  return [...found.values()].filter(({ definition }) => definition === undefined);
}

/**
 * What a statement read by the rights of who ran it: tables that it names, and views, which read further
 * tables by the rights of who defined them. `scannedIds` are the tables that it read in all.
 */
export function readByName(relations: readonly QueryRelation[], scannedIds: readonly string[]): string[] {
  const scanned = new Set(scannedIds);
  return relations
    .filter((relation) => tablesAmong([relation]).some(({ id }) => scanned.has(id)))
    .map(({ id }) => id);
}
