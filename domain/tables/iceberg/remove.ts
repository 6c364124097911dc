import { icebergPrefix } from '../../../data/objects/keys.ts';
import type { ObjectStore } from '../../../data/objects/store.ts';

/**
 * What a load names is at most a day and a half old, so that engines can read it for a day and a half more.
 */
const keptMs = 3 * 86_400_000;

/**
 * Removes metadata of tables that was written days ago. It is written again when an engine asks. May be
 * repeated.
 */
export async function removeOldMetadata(
  objects: Pick<ObjectStore, 'each' | 'remove'>,
  organizationId: string,
  now: Date = new Date(),
): Promise<number> {
  let removed = 0;
  for await (const { key, writtenAt } of objects.each(icebergPrefix(organizationId))) {
    if (writtenAt.getTime() > now.getTime() - keptMs) continue;
    await objects.remove(key);
    removed += 1;
  }
  return removed;
}
