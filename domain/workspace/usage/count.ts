import { sql } from 'kysely';
import type pg from 'pg';
import { storedBytes } from '../../../data/lake/ducklake/stored-bytes.ts';
import type { Database } from '../../../data/postgres/client.ts';

/** Longer than a statement's record takes from its time to its commit. */
const settledSeconds = 120;
/** Months that are kept, with the current one. */
export const keptMonths = 24;
/** Organizations of one statement. */
const atOnce = 500;
const betweenLooks = '1 hour';

/** Counts statements that were not counted yet, a day of them at most, and forgets the oldest months. */
export async function countStatements(db: Database, olderThanSeconds = settledSeconds): Promise<boolean> {
  const { rows } = await sql<{ more: boolean }>`
    SELECT count_statements(make_interval(secs => ${olderThanSeconds})) AS more`.execute(db);
  await sql`SELECT purge_usage(${keptMonths}, ${10_000})`.execute(db);
  return rows[0]!.more;
}

/** Records for this month what every organization stores, once an hour. Of several workers, one does. */
export async function lookAtStoredBytes(
  db: Database,
  ownerPool: Pick<pg.Pool, 'query'>,
  every = betweenLooks,
): Promise<boolean> {
  const { rows: turn } = await sql`
    UPDATE usage_counting SET looked_at = now() WHERE looked_at < now() - ${every}::interval RETURNING looked_at`.execute(
    db,
  );
  if (turn.length === 0) return false;
  const stored = await bytesOfOrganizations(ownerPool);
  for (let from = 0; from < stored.length; from += atOnce) {
    const some = stored.slice(from, from + atOnce);
    // One that is deleted meanwhile is left out.
    await ownerPool.query(
      `INSERT INTO organization_usage (organization_id, month, stored_bytes)
       SELECT o.id, date_trunc('month', now() AT TIME ZONE 'UTC')::date, s.bytes
       FROM unnest($1::text[], $2::bigint[]) AS s(id, bytes) JOIN organizations o ON o.id = s.id FOR KEY SHARE OF o
       ON CONFLICT (organization_id, month) DO UPDATE SET stored_bytes = excluded.stored_bytes`,
      [some.map(({ id }) => id), some.map(({ bytes }) => bytes)],
    );
  }
  return true;
}

/** What every organization stores: its files, and the files of its current tables. */
export async function bytesOfOrganizations(
  ownerPool: Pick<pg.Pool, 'query'>,
): Promise<{ id: string; bytes: number }[]> {
  const { rows } = await ownerPool.query<{ id: string; schema: string | null; bytes: number }>(
    `SELECT o.id, l.schema_name AS schema, coalesce(f.bytes, 0)::bigint AS bytes
     FROM organizations o
     LEFT JOIN lakes l ON l.organization_id = o.id AND l.ready_at IS NOT NULL
     LEFT JOIN (SELECT organization_id, sum(size_bytes) AS bytes FROM files GROUP BY 1) f
       ON f.organization_id = o.id
     ORDER BY o.id`,
  );
  const ofLakes = await storedBytes(
    ownerPool,
    rows.flatMap(({ schema }) => schema ?? []),
  );
  return rows.map(({ id, schema, bytes }) => ({ id, bytes: bytes + (ofLakes.get(schema ?? '') ?? 0) }));
}
