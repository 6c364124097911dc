import { sql } from 'kysely';
import type pg from 'pg';
import { AppError } from '../../../../data/errors.ts';
import { type Database, inOrganization } from '../../../../data/postgres/client.ts';
import { notify } from '../../../../data/postgres/notifications.ts';
import type { BegunDeletion } from '../../../../workflows/workspace/organization-deletion/contract.ts';
import { isAutomationPaused } from '../../pause/pause.ts';

/** `due`: at a time that may be long ago. After `deleting` there is no organization. */
type DeletionState = 'none' | 'due' | 'deleting';

/** From which states each move is possible; every one is a compare-and-set. */
const moves = {
  plan: { from: ['none', 'due'] },
  keep: { from: ['none', 'due'] },
  begin: { from: ['due'] },
} as const satisfies Record<string, { from: readonly DeletionState[] }>;

const isIn: Readonly<Record<DeletionState, string>> = {
  none: 'deletion_due_at IS NULL',
  due: '(deletion_due_at IS NOT NULL AND deletion_begun_at IS NULL)',
  deleting: 'deletion_begun_at IS NOT NULL',
};

/** The condition of a row that may make the move. */
const mayMove = (move: keyof typeof moves) =>
  sql.raw<boolean>(moves[move].from.map((state) => isIn[state]).join(' OR '));

/**
 * Suspends an organization, and has it deleted after so many seconds from now. Repeated, it moves the time as
 * long as the deletion has not begun. @throws AppError not_found, conflict
 */
export async function planDeletion(db: Database, id: string, inSeconds: number): Promise<void> {
  await moved(db, id, async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('organizations')
      .set({
        suspended_at: sql`coalesce(suspended_at, now())`,
        deletion_due_at: sql`now() + make_interval(secs => ${inSeconds})`,
      })
      .where('id', '=', id)
      .where(mayMove('plan'))
      .executeTakeFirst();
    // Event streams ask for their tokens again.
    await notify(transaction, 'access_ended', id);
    return numUpdatedRows;
  });
}

/**
 * Calls the deletion off; the organization stays suspended. Repeated, it changes nothing.
 *
 * @throws AppError not_found, conflict if it has begun
 */
export async function keepOrganization(db: Database, id: string): Promise<void> {
  await moved(db, id, async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('organizations')
      .set({ deletion_due_at: null })
      .where('id', '=', id)
      .where(mayMove('keep'))
      .executeTakeFirst();
    return numUpdatedRows;
  });
}

async function moved(
  db: Database,
  id: string,
  move: (transaction: Parameters<Parameters<typeof inOrganization>[2]>[0]) => Promise<bigint>,
): Promise<void> {
  await inOrganization(db, id, async (transaction) => {
    if ((await move(transaction)) > 0n) return;
    const row = await transaction
      .selectFrom('organizations')
      .select('deletion_begun_at')
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined) throw new AppError('not_found', `There is no organization ${id}.`);
    throw new AppError('conflict', `The deletion of ${id} has already begun and cannot be undone.`);
  });
}

/**
 * Begins the deletion if it is due, or says what else there is to do. Repeated, it gives the same answer.
 * Nothing is removed while automation is paused: a restored backup may be there for what was deleted since.
 */
export async function beginDeletion(db: Database, id: string): Promise<BegunDeletion> {
  const isPaused = await isAutomationPaused(db);
  return inOrganization(db, id, async (transaction): Promise<BegunDeletion> => {
    if (!isPaused)
      await transaction
        .updateTable('organizations')
        .set({ deletion_begun_at: sql`now()` })
        .where('id', '=', id)
        .where(mayMove('begin'))
        .where('deletion_due_at', '<=', sql<Date>`now()`)
        .execute();
    const row = await transaction
      .selectFrom('organizations')
      .select('deletion_due_at')
      .select(
        sql<number>`greatest(0, extract(epoch FROM deletion_due_at - now()) * 1000)::float8`.as('wait_ms'),
      )
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined) return { kind: 'gone' };
    const { deletion_due_at: dueAt, wait_ms: waitMs } = row;
    if (dueAt === null) return { kind: 'kept' };
    if (waitMs > 0) return { kind: 'waits', dueAt: dueAt.toISOString(), waitMs: Math.ceil(waitMs) };
    if (isPaused) return { kind: 'paused' };
    const lake = await transaction
      .selectFrom('lakes')
      .select('schema_name')
      .where('organization_id', '=', id)
      .executeTakeFirst();
    return { kind: 'begun', lake: lake?.schema_name ?? null };
  });
}

/**
 * Removes the row of the organization, the last one, with that of its lake, by which all the rest is found.
 * `again`: work that was under way has added something since it was removed.
 */
export async function finishDeletion(
  ownerPool: pg.Pool,
  id: string,
  tables: readonly string[],
): Promise<'gone' | 'again'> {
  const client = await ownerPool.connect();
  try {
    await client.query('BEGIN');
    // Rows that refer to it wait for this, and then find no organization.
    const { rowCount } = await client.query(
      'SELECT FROM organizations WHERE id = $1 AND deletion_begun_at IS NOT NULL FOR UPDATE',
      [id],
    );
    if (rowCount === 0) return 'gone';
    const left = tables.map((table) => `EXISTS (SELECT FROM ${table} WHERE organization_id = $1)`);
    const { rows } = await client.query<{ some: boolean }>(
      `SELECT ${left.join(' OR ')} OR EXISTS (
         SELECT FROM lakes WHERE organization_id = $1 AND to_regnamespace(quote_ident(schema_name)) IS NOT NULL) AS some`,
      [id],
    );
    if (rows[0]!.some) return 'again';
    await client.query('DELETE FROM lakes WHERE organization_id = $1', [id]);
    await client.query('DELETE FROM organizations WHERE id = $1', [id]);
    await client.query('COMMIT');
    return 'gone';
  } finally {
    await client.query('ROLLBACK').catch(() => undefined);
    client.release();
  }
}
