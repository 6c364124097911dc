import type pg from 'pg';
import type { EngineConnection, LakeEngine } from '../engine/contract.ts';
import type { Lake } from '../provision.ts';
import { identifier, literal } from '../sql.ts';
import { inlinedDeletionsName } from './catalog.ts';

/**
 * Deletions recorded both in a file and in the catalog, left by flushes from before the catalog's trigger
 * prevented it (triggers.ts). A reader then shows deleted rows. A flush merges the two and so repairs them.
 */

type Queryable = Pick<pg.Pool, 'query'>;

/**
 * A data file that may have doubled deletions: its newest deletion in a file is no older than one in the
 * catalog.
 */
interface Suspect {
  dataFileId: number;
  path: string;
}

async function suspects(
  pool: Queryable,
  schemaName: string,
  lakeTableId: number,
  atMost: number,
): Promise<Suspect[]> {
  const schema = identifier(schemaName);
  const { rows } = await pool.query<{ data_file_id: number; path: string }>(
    `SELECT DISTINCT f.data_file_id, f.path
     FROM ${schema}.${identifier(inlinedDeletionsName(lakeTableId))} d
     JOIN ${schema}.ducklake_delete_file x ON x.data_file_id = d.file_id AND x.table_id = $1
       AND x.end_snapshot IS NULL AND coalesce(x.partial_max, x.begin_snapshot) >= d.begin_snapshot
     JOIN ${schema}.ducklake_data_file f ON f.data_file_id = d.file_id AND f.end_snapshot IS NULL
     LIMIT $2`,
    [lakeTableId, atMost],
  );
  return rows.map((row) => ({ dataFileId: row.data_file_id, path: row.path }));
}

/**
 * How many deletions of a table are recorded in both places. The table must have a catalog table of
 * deletions.
 */
export async function countDoubledDeletions(
  { catalogPool, engine }: { catalogPool: Queryable; engine: LakeEngine },
  lake: Lake,
  { lakeTableId, name }: { lakeTableId: number; name: string },
  connection?: EngineConnection,
): Promise<number> {
  const found = await suspects(catalogPool, lake.schema, lakeTableId, 1_000);
  if (found.length === 0) return 0;
  const inlined = [`__ducklake_metadata_${lake.schema}`, lake.schema, inlinedDeletionsName(lakeTableId)];
  async function count(on: EngineConnection): Promise<number> {
    const { rows: files } = await on.read(
      `SELECT data_file, delete_file FROM ducklake_list_files(${literal(lake.schema)}, ${literal(name)}, schema => 'main')
       WHERE delete_file IS NOT NULL`,
    );
    let doubled = 0;
    for (const { dataFileId, path } of found) {
      const deleteFile = files.find(([dataFile]) => String(dataFile).endsWith(path))?.[1];
      if (deleteFile === undefined) continue;
      const { rows } = await on.read(
        `SELECT count(*) FROM ${inlined.map(identifier).join('.')} AS d
         JOIN read_parquet(${literal(String(deleteFile))}) AS f ON f.pos = d.row_id WHERE d.file_id = ${dataFileId}`,
      );
      doubled += Number(rows[0]![0]);
    }
    return doubled;
  }
  return connection === undefined ? engine.use(lake.writer, count) : count(connection);
}

/** One page of the tables with inlined deletions in all ready lakes, ordered by name, after the given one. */
export async function tablesWithInlinedDeletions(
  pool: Queryable,
  after: { schemaName: string; name: string },
  atMost: number,
): Promise<{ organizationId: string; schemaName: string; name: string }[]> {
  const { rows } = await pool.query<{ organization_id: string; schema_name: string; name: string }>(
    `SELECT l.organization_id, l.schema_name, t.tablename AS name
     FROM lakes l JOIN pg_tables t ON t.schemaname = l.schema_name
     WHERE l.ready_at IS NOT NULL AND t.tablename ~ '^ducklake_inlined_delete_[0-9]+$'
       AND (l.schema_name, t.tablename) > ($1, $2)
     ORDER BY l.schema_name, t.tablename LIMIT $3`,
    [after.schemaName, after.name, atMost],
  );
  return rows.map((row) => ({
    organizationId: row.organization_id,
    schemaName: row.schema_name,
    name: row.name,
  }));
}

/** Whether a table may have doubled deletions, decided from the catalog alone. */
export async function mayHaveDoubledDeletions(
  pool: Queryable,
  { schemaName, name }: { schemaName: string; name: string },
): Promise<boolean> {
  return (await suspects(pool, schemaName, Number(name.split('_').at(-1)), 1)).length > 0;
}
