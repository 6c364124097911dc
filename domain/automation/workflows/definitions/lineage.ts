import { sql } from 'kysely';
import type { End, FindEnds } from '../../../tables/lineage/ends.ts';
import type { GraphNode } from '../graphs/graph.ts';
import { mentions, statementsOf } from '../graphs/named-tables.ts';
import { nodeTypes } from '../graphs/node-types.ts';

const plainName = /^[\p{L}\p{N}_]+$/u;
const typesWithStatements = nodeTypes.flatMap(({ type, sqlKeys }) => (sqlKeys.length > 0 ? [type] : []));

/**
 * The caller's workflows whose active version names these tables in its statements. A name is found as a
 * word, which may stand for a column of that name instead.
 */
export const workflowsOfTables: FindEnds = async (db, { organizationId, callerId, of, limit }) => {
  const { rows } = await sql<{ id: string; title: string; nodes: GraphNode[] }>`
    SELECT w.id, w.title, coalesce((
      SELECT json_agg(n) FROM json_array_elements(v.graph -> 'nodes') AS n
      WHERE n ->> 'type' = ANY(${typesWithStatements}::text[])), '[]') AS nodes
    FROM workflows w
    JOIN workflow_versions v ON v.organization_id = w.organization_id AND v.id = w.active_version_id
    WHERE w.organization_id = ${organizationId} AND w.owner_id = ${callerId} AND w.status IN ('active', 'paused')
    ORDER BY w.id DESC LIMIT ${limit}`.execute(db);
  return rows.flatMap(({ id, title, nodes }) => {
    const isNamed = namesIn(statementsOf({ nodes }).join('\n'));
    return of.flatMap(({ id: from, name }): End[] =>
      isNamed(name)
        ? [{ node: { id, kind: 'workflow', name: title }, edge: { from, to: id, columns: [] } }]
        : [],
    );
  });
};

/** Asked for many names: those that are words are looked up, instead of searched for in the whole text. */
function namesIn(text: string): (name: string) => boolean {
  const folded = text.toLowerCase();
  const words = new Set(folded.match(/[\p{L}\p{N}_]+/gu));
  return (name) => (plainName.test(name) ? words.has(name.toLowerCase()) : mentions(folded, name));
}

/** The caller's workflows whose runs wrote these reports, themselves or through the analyst. */
export const workflowsOfReports: FindEnds = async (db, { organizationId, callerId, of, limit }) => {
  const ids = of.map(({ id }) => id);
  const { rows } = await sql<{ report_id: string; id: string; title: string }>`
    SELECT r.id AS report_id, w.id, w.title
    FROM unnest(${ids}::text[]) WITH ORDINALITY AS asked (id, place)
    JOIN reports r ON r.organization_id = ${organizationId} AND r.id = asked.id
    -- A report of the analyst is written under the id of its run, which a run of the workflow started.
    LEFT JOIN report_versions v ON v.organization_id = ${organizationId} AND v.report_id = r.id AND v.revision = 1
    LEFT JOIN runs n ON n.organization_id = ${organizationId} AND n.id = v.write_id
    LEFT JOIN workflow_runs wr ON wr.organization_id = ${organizationId} AND wr.id = n.trigger_id
    JOIN workflows w ON w.organization_id = ${organizationId} AND w.id = coalesce(wr.workflow_id, r.source_id)
      AND w.owner_id = ${callerId}
    ORDER BY asked.place LIMIT ${limit}`.execute(db);
  return rows.map(
    ({ report_id: to, id, title }): End => ({
      node: { id, kind: 'workflow', name: title },
      edge: { from: id, to, columns: [] },
    }),
  );
};
