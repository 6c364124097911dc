import { sql } from 'kysely';
import { type Cipher, keyIdOf } from '../../../data/encryption.ts';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import type {
  ResealedSlice,
  SealedPosition,
  UnopenedValues,
} from '../../../workflows/workspace/key-rotation/contract.ts';
import { shownKeyId, tally } from './count.ts';
import { nameOf, type SealedColumn } from './sealed-columns.ts';
import { sealedPages } from './walk.ts';

export interface ResealDeps {
  db: Database;
  cipher: Cipher;
}

interface SliceBounds {
  /** Maximum number of values that are touched. */
  values: number;
  /** Asked after each page. */
  isOver(): boolean;
  /** Stops between two values. */
  signal?: AbortSignal;
  pageRows?: number;
}

type Resealed = 'resealed' | 'changed' | UnopenedValues['reason'];

/**
 * Seals values that are under another key again, under the first key of the cipher. Values that cannot be
 * opened are counted and stay as they are. Safe to interrupt anywhere, to repeat, and to run twice at once.
 */
export async function resealSlice(
  deps: ResealDeps,
  from: SealedPosition | null,
  { values, isOver, signal, pageRows }: SliceBounds,
): Promise<ResealedSlice> {
  const [target] = deps.cipher.keyIds;
  const sums = { resealed: tally(), changed: tally(), missing: tally(), unreadable: tally() };
  const slice = (next: SealedPosition | null): ResealedSlice => ({
    resealed: sums.resealed.counts(),
    changed: sums.changed.counts(),
    unopened: (['missing', 'unreadable'] as const).flatMap((reason) =>
      sums[reason].counts().map((count) => ({ ...count, reason })),
    ),
    next,
  });
  let touched = 0;
  for await (const { organizationId, column, rows, next } of sealedPages(deps.db, from, pageRows)) {
    const name = nameOf(column);
    for (const { key, keyId } of rows) {
      if (keyId === target) continue;
      signal?.throwIfAborted();
      const outcome = await reseal(deps, organizationId, column, key);
      sums[outcome].add(name, shownKeyId(keyId, deps.cipher.keyIds));
      touched += 1;
      if (touched === values) return slice({ organizationId, column: name, after: key });
    }
    if (isOver()) return slice(next);
  }
  return slice(null);
}

/** Reads one value and replaces it if it is still the same: a concurrent change is never overwritten. */
async function reseal(
  { db, cipher }: ResealDeps,
  organizationId: string,
  { table, key: names, column }: SealedColumn,
  key: readonly string[],
): Promise<Resealed> {
  const value = sql.ref(column);
  const isRow = sql.join(
    [
      sql`organization_id = ${organizationId}`,
      ...names.map((name, at) => sql`${sql.ref(name)} = ${key[at]}`),
    ],
    sql` AND `,
  );
  return inOrganization(db, organizationId, async (transaction): Promise<Resealed> => {
    const { rows } = await sql<{ sealed: Buffer | null }>`
      SELECT ${value} AS sealed FROM ${sql.table(table)} WHERE ${isRow}`.execute(transaction);
    const sealed = rows[0]?.sealed ?? null;
    if (sealed === null || keyIdOf(sealed) === cipher.keyIds[0]) return 'changed';
    if (!cipher.keyIds.includes(keyIdOf(sealed))) return 'missing';
    const plain = opened(cipher, sealed);
    if (plain === undefined) return 'unreadable';
    const { numAffectedRows } = await sql`
      UPDATE ${sql.table(table)} SET ${value} = ${cipher.seal(plain)}
      WHERE ${isRow} AND ${value} = ${sealed}`.execute(transaction);
    return numAffectedRows === 1n ? 'resealed' : 'changed';
  });
}

function opened(cipher: Cipher, sealed: Buffer): Buffer | undefined {
  try {
    return cipher.open(sealed);
  } catch {
    return undefined;
  }
}
