import { sql } from 'kysely';
import type { End, FindEnds } from '../../tables/lineage/ends.ts';

/** The playbooks whose runs wrote these reports. */
export const playbooksOfReports: FindEnds = async (db, { organizationId, of, limit }) => {
  const ids = of.map(({ id }) => id);
  const { rows } = await sql<{ report_id: string; id: string; title: string }>`
    SELECT r.id AS report_id, p.id, p.title
    FROM unnest(${ids}::text[]) WITH ORDINALITY AS asked (id, place)
    JOIN reports r ON r.organization_id = ${organizationId} AND r.id = asked.id
    JOIN playbooks p ON p.organization_id = ${organizationId} AND p.id = r.source_id
    ORDER BY asked.place LIMIT ${limit}`.execute(db);
  return rows.map(
    ({ report_id: to, id, title }): End => ({
      node: { id, kind: 'playbook', name: title },
      edge: { from: id, to, columns: [] },
    }),
  );
};
