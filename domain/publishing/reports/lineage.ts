import { sql } from 'kysely';
import type { End, FindEnds } from '../../tables/lineage/ends.ts';

/** The reports whose current revision was written from a version of these tables. */
export const reportsOfTables: FindEnds = async (db, { organizationId, of, limit }) => {
  const ids = of.map(({ id }) => id);
  const { rows } = await sql<{ table_id: string; id: string; title: string }>`
    SELECT DISTINCT asked.place, asked.id AS table_id, r.id, r.title
    FROM reports r
    CROSS JOIN LATERAL jsonb_array_elements(r.data_versions) AS v
    JOIN unnest(${ids}::text[]) WITH ORDINALITY AS asked (id, place) ON asked.id = v ->> 'tableId'
    WHERE r.organization_id = ${organizationId}
    ORDER BY asked.place, r.id DESC LIMIT ${limit}`.execute(db);
  return rows.map(
    ({ table_id: from, id, title }): End => ({
      node: { id, kind: 'report', name: title },
      edge: { from, to: id, columns: [] },
    }),
  );
};
