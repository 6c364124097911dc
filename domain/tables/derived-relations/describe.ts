import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type DefinitionGraph, reachable } from './graph.ts';

/** A table or view as another one refers to it. */
export interface RelationRef {
  id: string;
  kind: 'table' | 'view';
  name: string;
}

/** Those of these tables and views that the transaction may see, by id. */
export async function relationRefs(
  db: OrganizationTransaction,
  organizationId: string,
  ids: readonly string[],
): Promise<Map<string, RelationRef>> {
  const rows = await db
    .selectFrom('tables')
    .select(['id', 'kind', 'name'])
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ['', ...ids])
    .where('status', '=', 'ready')
    .execute();
  return new Map(
    rows.map(({ id, kind, name }) => [id, { id, kind: kind === 'view' ? 'view' : 'table', name }]),
  );
}

/** How many tables and views a table or view is made from, and are made from it, at any distance. */
export function lineageSummary(graph: DefinitionGraph, id: string): { upstream: number; downstream: number } {
  return {
    upstream: reachable([id], graph.reads).length,
    downstream: reachable([id], graph.readBy).length,
  };
}
