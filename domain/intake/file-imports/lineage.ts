import { sql } from 'kysely';
import {
  type ColumnMapping,
  loadDateColumn,
  type SourceColumn,
} from '../../../packages/file-reader/index.ts';
import type { End, EndsRequest, FindEnds } from '../../tables/lineage/ends.ts';
import { columnInfluence } from '../../tables/lineage/graph.ts';

interface FilledTable {
  table_id: string;
  file_id: string;
  path: string;
  mappings: ColumnMapping[] | null;
  source_columns: SourceColumn[] | null;
}

/**
 * The files whose rows are in these tables: those of the last import that replaced the content, and of the
 * appends since. Of several imports of a file the last counts.
 */
export const filesOfTables: FindEnds = async (db, { organizationId, of, limit }) => {
  const ids = of.map(({ id }) => id);
  const { rows } = await sql<FilledTable>`
    SELECT DISTINCT ON (asked.place, f.id) i.table_id, f.id AS file_id, f.path,
           i.options -> 'columnMappings' AS mappings, i.source_columns
    FROM unnest(${ids}::text[]) WITH ORDINALITY AS asked (id, place)
    JOIN table_imports i ON i.organization_id = ${organizationId} AND i.table_id = asked.id AND i.status = 'succeeded'
    JOIN files f ON f.organization_id = ${organizationId} AND f.id = i.file_id
    WHERE i.table_version >= coalesce((
      SELECT max(r.table_version) FROM table_imports r
      WHERE r.organization_id = ${organizationId} AND r.table_id = i.table_id
        AND r.status = 'succeeded' AND r.mode <> 'append'), 0)
    ORDER BY asked.place, f.id, i.id DESC LIMIT ${limit}`.execute(db);
  const columnsOf = new Map(of.map(({ id, columns }) => [id, columns]));
  return rows.map((row): End => {
    const columns = columnsOf.get(row.table_id) ?? [];
    return {
      node: { id: row.file_id, kind: 'file', name: row.path },
      edge: {
        from: row.file_id,
        to: row.table_id,
        columns: sourceColumns(row, columns)
          // A column may have been dropped or renamed since.
          .filter(({ target }) => columns.includes(target))
          .map(({ source, target }) => columnInfluence(source, target, 'identity')),
      },
    };
  });
};

/** Imports from before the names were kept are taken to have those of the table. */
function sourceColumns(
  { mappings, source_columns: kept }: FilledTable,
  columns: EndsRequest['of'][number]['columns'],
): SourceColumn[] {
  if (kept !== null) return kept;
  if (mappings !== null)
    return mappings.map(({ sourceColumnName: source, targetColumnName: target }) => ({ source, target }));
  return columns.filter((name) => name !== loadDateColumn).map((name) => ({ source: name, target: name }));
}
