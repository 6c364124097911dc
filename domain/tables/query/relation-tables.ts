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
