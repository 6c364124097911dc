import { sql } from 'kysely';
import type { End, FindEnds } from '../../tables/lineage/ends.ts';
import { columnInfluence } from '../../tables/lineage/graph.ts';
import { replicationOf } from '../data-connections/change.ts';

interface CopiedTable {
  table_id: string;
  id: string;
  name: string;
  resource: string;
  http_replication: string | null;
}

/** The datasets that are copied into these tables. */
export const datasetsOfTables: FindEnds = async (db, { organizationId, of, limit }) => {
  const ids = of.map(({ id }) => id);
  const { rows } = await sql<CopiedTable>`
    SELECT d.table_id, d.id, d.name, d.resource, c.http_replication
    FROM unnest(${ids}::text[]) WITH ORDINALITY AS asked (id, place)
    JOIN datasets d ON d.organization_id = ${organizationId} AND d.table_id = asked.id
    JOIN data_connections c ON c.organization_id = ${organizationId} AND c.id = d.connection_id
    ORDER BY asked.place, d.id LIMIT ${limit}`.execute(db);
  const columnsOf = new Map(of.map(({ id, columns }) => [id, columns]));
  return rows.map((row): End => {
    const fieldOf = sourceFields(row);
    const columns = columnsOf.get(row.table_id) ?? [];
    return {
      node: { id: row.id, kind: 'dataset', name: row.name },
      edge: {
        from: row.id,
        to: row.table_id,
        columns: columns.map((name) => columnInfluence(fieldOf.get(name) ?? name, name, 'identity')),
      },
    };
  });
};

/** Of the columns that have another name than the source's field: the field. */
function sourceFields({ resource, http_replication }: CopiedTable): Map<string, string> {
  const found = replicationOf({ http_replication })?.resources?.find(
    ({ request_path: path }) => path === resource,
  );
  return new Map(Object.entries(found?.field_mappings ?? {}).map(([field, column]) => [column, field]));
}
