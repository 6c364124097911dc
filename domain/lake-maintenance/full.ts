import type { LakeDeps } from '../../data/lake/commit.ts';
import { identifier } from '../../data/lake/sql.ts';

/** A flush of so many rows holds its table for two or three seconds; of many more, for longer than writers wait. */
const rowsWorthARun = 200_000;

/**
 * Organizations with a table that has so many rows in the catalog that they should not wait for the next run.
 * PostgreSQL's own estimate finds the candidates; what a flush would not move does not count.
 */
export async function fullLakes(
  deps: Pick<LakeDeps, 'catalogPool'>,
  rows = rowsWorthARun,
): Promise<string[]> {
  const candidates = await deps.catalogPool.query<{ organization_id: string; schema: string; name: string }>(
    `SELECT l.organization_id, s.schemaname AS schema, s.relname AS name
     FROM pg_stat_user_tables s JOIN lakes l ON l.schema_name = s.schemaname
     WHERE s.relname ~ '^ducklake_inlined_data_[0-9]+_[0-9]+$' AND s.n_live_tup >= $1`,
    [rows],
  );
  const full = new Set<string>();
  for (const { organization_id: organizationId, schema, name } of candidates.rows) {
    if (!full.has(organizationId) && (await isCurrent(deps, schema, name))) full.add(organizationId);
  }
  return [...full];
}

/** The catalog's table of rows of a live table's present schema. */
async function isCurrent(
  { catalogPool }: Pick<LakeDeps, 'catalogPool'>,
  schemaName: string,
  name: string,
): Promise<boolean> {
  const schema = identifier(schemaName);
  const { rowCount } = await catalogPool.query(
    `SELECT FROM ${schema}.ducklake_inlined_data_tables i
     JOIN ${schema}.ducklake_table t ON t.table_id = i.table_id AND t.end_snapshot IS NULL
     WHERE i.table_name = $1 AND i.schema_version = (
       SELECT max(v.schema_version) FROM ${schema}.ducklake_schema_versions v WHERE v.table_id = i.table_id)`,
    [name],
  );
  return rowCount !== 0;
}
