import type { Cipher } from '../../../data/encryption.ts';
import type { Database } from '../../../data/postgres/client.ts';
import type {
  CountedSlice,
  SealedCount,
  SealedPosition,
} from '../../../workflows/workspace/key-rotation/contract.ts';
import { nameOf } from './sealed-columns.ts';
import { sealedPages } from './walk.ts';

/** A short word from a key list, and not a piece of a value that was never sealed. */
const plausibleId = /^[\w.-]{1,64}$/;
/** What a value is counted under whose header names no key. */
const noKey = '(no key)';

/** Ids are shown to operators and stored in histories; nothing else of a value is. */
export const shownKeyId = (keyId: string, known: readonly string[]): string =>
  plausibleId.test(keyId) || known.includes(keyId) ? keyId : noKey;

/** Numbers of values, summed up by column and key. */
export function tally(): {
  add(column: string, keyId: string, count?: number): void;
  counts(): SealedCount[];
} {
  const sums = new Map<string, SealedCount>();
  return {
    add(column, keyId, count = 1) {
      const name = `${column} ${keyId}`;
      const sum = sums.get(name) ?? { column, keyId, count: 0 };
      sums.set(name, { ...sum, count: sum.count + count });
    },
    counts: () => [...sums.values()],
  };
}

/** Counts values from a position on, until `isOver`. */
export async function countSlice(
  { db, cipher }: { db: Database; cipher: Pick<Cipher, 'keyIds'> },
  from: SealedPosition | null,
  isOver: () => boolean,
): Promise<CountedSlice> {
  const sums = tally();
  for await (const { column, rows, next } of sealedPages(db, from)) {
    for (const { keyId } of rows) sums.add(nameOf(column), shownKeyId(keyId, cipher.keyIds));
    if (isOver()) return { counts: sums.counts(), next };
  }
  return { counts: sums.counts(), next: null };
}
