import { type RawBuilder, sql } from 'kysely';
import type { OrganizationTransaction } from './client.ts';
import type { Slice } from './records.ts';

/** Total size limit of a page of large rows; a page that would exceed it ends early. */
const pageBytes = 2_000_000;

/** How many rows of these sizes, from the first on, make a page; at least one. */
export function countFitting(sizes: readonly number[]): number {
  let left = pageBytes;
  const first = sizes.findIndex((bytes, index) => {
    left -= bytes;
    return left < 0 && index > 0;
  });
  return first < 0 ? sizes.length : first;
}

/** Rows of a project, by what they are read with. */
export interface FittingList<Row> {
  table: string;
  /** Bytes of a row that the page shows. */
  bytes: RawBuilder<number>;
  list(
    db: OrganizationTransaction,
    organizationId: string,
    slice: Slice,
    of: { project_id: string },
  ): Promise<Row[]>;
}

/** The rows of a project, newest first, with the number of them that fits a page. */
export async function listFitting<Row>(
  db: OrganizationTransaction,
  { table, bytes, list }: FittingList<Row>,
  { organizationId, projectId }: { organizationId: string; projectId: string },
  { after, limit }: Slice,
): Promise<{ rows: Row[]; shown: number }> {
  const { rows } = await sql<{ bytes: number }>`
    SELECT ${bytes} AS bytes FROM ${sql.table(table)}
    WHERE organization_id = ${organizationId} AND project_id = ${projectId}
      AND (${after ?? null}::text IS NULL OR id < ${after ?? null})
    ORDER BY id DESC LIMIT ${limit}`.execute(db);
  const shown = countFitting(rows.map((row) => row.bytes));
  const slice = { after, limit: Math.min(limit, shown + 1) };
  return { rows: await list(db, organizationId, slice, { project_id: projectId }), shown };
}
