import { sql } from 'kysely';
import { AppError } from '../../../data/errors.ts';
import { readLake } from '../../../data/lake/ducklake/alive.ts';
import { highestValue } from '../../../data/lake/ducklake/statistics.ts';
import type { Lake } from '../../../data/lake/provision.ts';
import { identifier } from '../../../data/lake/sql.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import { rowIdColumn } from '../tables/column-name.ts';
import type { PhysicalTable } from '../tables/columns.ts';
import type { TableDeps } from '../tables/deps.ts';
import { findSettled } from '../tables/settled.ts';

/**
 * Gives a range of `s_id`s that no row has and that was never given before. The table's lock keeps rows from
 * being added meanwhile. A process that ends after the commit leaves a range that nobody uses.
 *
 * @throws AppError not_found, not_appendable; conflict if there are not as many left
 */
export async function reserveRowIds(
  deps: TableDeps,
  request: { organizationId: string; tableId: string; count: number },
): Promise<{ first: bigint; last: bigint }> {
  const { organizationId, tableId, count } = request;
  return deps.lake.locks.hold(tableId, async () => {
    const lake = await deps.lake.catalog.get(organizationId);
    const { physical } = await findSettled(deps, lake, request);
    const used = await highestUsed(deps, lake, physical);
    const { rows } = await inOrganization(deps.db, organizationId, (db) =>
      sql<{ last: string }>`
        UPDATE tables SET reserved_row_ids = greatest(reserved_row_ids, ${String(used)}::bigint, 0) + ${count}::bigint
        WHERE organization_id = ${organizationId} AND id = ${tableId}
        RETURNING reserved_row_ids::text AS last`.execute(db),
    ).catch((error: unknown) => {
      throw isOutOfRange(error) ? noneLeft(count) : error;
    });
    const last = BigInt(rows[0]!.last);
    return { first: last - BigInt(count) + 1n, last };
  });
}

const isOutOfRange = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '22003';

const noneLeft = (count: number) =>
  new AppError('conflict', `There aren't ${count} integers left above the highest s_id of the table.`);

async function highestUsed({ lake: deps }: TableDeps, lake: Lake, table: PhysicalTable): Promise<bigint> {
  const { known, value } = await highestValue(deps.catalogPool, lake.schema, table.lakeTableId, rowIdColumn);
  if (known) return value ?? 0n;
  return readLake(deps.engine, lake, async (connection) => {
    const { rows } = await connection.read(
      `SELECT coalesce(max(${rowIdColumn}), 0)::VARCHAR FROM ${identifier(table.name)}`,
    );
    return BigInt(String(rows[0]![0]));
  });
}
