import { identifier } from '../../../../data/lake/sql.ts';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { relationsFor } from '../../../tables/query/relations.ts';
import type { QueryRelation } from '../../../tables/query/request.ts';
import type { ToolCall } from './tool.ts';

/**
 * The attached views as a statement reads them: with the rights of who defined them, and every table in them
 * at the turn's snapshot, whether or not the asker may read that table.
 */
export async function pinnedViews(
  { deps, organizationId, tables, snapshotId }: ToolCall,
  sql: string,
): Promise<QueryRelation[]> {
  const views = tables.filter(({ kind }) => kind === 'view');
  if (views.length === 0 || snapshotId === undefined) return [];
  const relations = await inOrganization(deps.db, organizationId, (db) =>
    relationsFor(db, organizationId, views, [sql]),
  );
  return pinnedAt(relations, snapshotId);
}

/** Replaces each table in the views, which name no versions, by a SELECT of its rows at the snapshot. */
function pinnedAt(relations: readonly QueryRelation[], snapshotId: number): QueryRelation[] {
  const known = new Map<string, QueryRelation>();
  const pin = (relation: QueryRelation): QueryRelation => {
    const before = known.get(relation.id);
    if (before !== undefined) return before;
    const pinned: QueryRelation = { ...relation };
    known.set(relation.id, pinned);
    const { definition, refusal, reads, name, id } = relation;
    if (definition === undefined && refusal === undefined) {
      pinned.definition = `SELECT * FROM ${identifier(name)} AT (VERSION => ${snapshotId})`;
      pinned.reads = [{ id, name }];
    } else if (reads !== undefined) pinned.reads = reads.map(pin);
    return pinned;
  };
  return relations.map(pin);
}
