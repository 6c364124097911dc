import type pg from 'pg';
import { identifier } from '../../../../data/lake/sql.ts';
import type { RemovedRows } from '../../../../workflows/workspace/organization-deletion/contract.ts';

/** Rows of one statement. */
const rowsAtOnce = 2_000;
/** Rows of one look. */
const placesAtOnce = 50_000;
/** By which all the rest is found; it goes with the organization's own row. */
const lastTable = 'lakes';

interface Reference {
  from: string;
  to: string;
}

/** All tables with rows of organizations, each after those that refer to it. */
export async function tablesToEmpty(ownerPool: Pick<pg.Pool, 'query'>): Promise<string[]> {
  const { rows: tables } = await ownerPool.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND a.attname = 'organization_id' AND NOT a.attisdropped AND c.relname <> $1 ORDER BY 1`,
    [lastTable],
  );
  const { rows: references } = await ownerPool.query<{ from: string; to: string }>(
    `SELECT DISTINCT f.relname AS "from", t.relname AS "to" FROM pg_constraint k
     JOIN pg_class f ON f.oid = k.conrelid JOIN pg_class t ON t.oid = k.confrelid
     WHERE k.contype = 'f' AND f.oid <> t.oid AND f.relnamespace = 'public'::regnamespace`,
  );
  return childrenFirst(
    tables.map(({ name }) => name),
    references,
  ).map((name) => `public.${identifier(name)}`);
}

/** @throws Error if tables refer to each other in a circle */
export function childrenFirst(tables: readonly string[], references: readonly Reference[]): string[] {
  const ordered: string[] = [];
  let left = [...tables];
  while (left.length > 0) {
    const free = left.filter(
      (table) => !references.some(({ from, to }) => to === table && left.includes(from)),
    );
    if (free.length === 0) throw new Error(`These tables refer to each other: ${left.join(', ')}.`);
    ordered.push(...free);
    left = left.filter((table) => !free.includes(table));
  }
  return ordered;
}

/**
 * Removes rows of an organization, a few thousand in a statement, until it is over. At the end when all
 * tables were found empty one after the other: the removal from one may add to another.
 */
export async function removeSomeRows(
  ownerPool: pg.Pool,
  organizationId: string,
  isOver: () => boolean,
): Promise<RemovedRows> {
  const tables = await tablesToEmpty(ownerPool);
  let rows = 0;
  for (let before = -1; before !== rows; ) {
    before = rows;
    for (const table of tables) {
      for (let places = await placesIn(ownerPool, table, organizationId); places.length > 0; ) {
        if (isOver()) return { rows, next: table.replace('public.', '').replaceAll('"', '') };
        const some = places.splice(0, rowsAtOnce);
        rows += await remove(ownerPool, { table, organizationId, places: some });
        if (places.length === 0) places = await placesIn(ownerPool, table, organizationId);
      }
    }
  }
  return { rows, next: null };
}

/** Where rows are: looked for many at once, because each look passes all that were removed before. */
async function placesIn(ownerPool: pg.Pool, table: string, organizationId: string): Promise<string[]> {
  const { rows } = await ownerPool.query<{ place: string }>(
    `SELECT ctid::text AS place FROM ${table} WHERE organization_id = $1 LIMIT ${placesAtOnce}`,
    [organizationId],
  );
  return rows.map(({ place }) => place);
}

interface Removal {
  table: string;
  organizationId: string;
  /** At which there may be another row by now. */
  places: readonly string[];
}

const usersTable = 'public."users"';

async function remove(ownerPool: pg.Pool, { table, organizationId, places }: Removal): Promise<number> {
  const statement = `DELETE FROM ${table} WHERE ctid = ANY ($2::tid[]) AND organization_id = $1`;
  const values = [organizationId, places];
  if (table === usersTable) return removeUsers(ownerPool, `${statement} RETURNING account_id`, values);
  return (await ownerPool.query(statement, values)).rowCount ?? 0;
}

/** With their accounts, which are nobody's any more, unless they are members of other organizations too. */
async function removeUsers(ownerPool: pg.Pool, statement: string, values: unknown[]): Promise<number> {
  const client = await ownerPool.connect();
  try {
    await client.query('BEGIN');
    const { rows } = await client.query<{ account_id: string | null }>(statement, values);
    // Two organizations that share accounts are deleted at the same time: each takes them in one order.
    await client.query(
      `DELETE FROM accounts a WHERE a.id = ANY (ARRAY(
         SELECT id FROM accounts WHERE id = ANY ($1) ORDER BY id FOR UPDATE))
       AND NOT EXISTS (SELECT FROM users u WHERE u.account_id = a.id)`,
      [rows.flatMap(({ account_id: id }) => id ?? [])],
    );
    await client.query('COMMIT');
    return rows.length;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}
