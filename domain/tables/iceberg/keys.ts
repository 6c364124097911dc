import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { newId } from '../../../data/ids.ts';
import type { ObjectKey, ObjectKeys } from '../../../data/objects/access-keys.ts';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import { lockByName } from '../../../data/postgres/locks.ts';
import { itemsAtOnce, itemsStep, type ReconcileStep } from '../../../data/reconciling/step.ts';
import { limits } from '../../workspace/limits/limits.ts';
import { refuseBeyond } from '../../workspace/limits/refuse.ts';

declare module '../../../data/ids.ts' {
  interface IdPrefixes {
    ick: 'iceberg_keys';
  }
}

interface KeyDeps {
  db: Database;
  /** Undefined if the object store cannot make keys. */
  objectKeys: ObjectKeys | undefined;
}

export interface TableKey extends ObjectKey {
  expiresAt: Date;
}

export interface TableKeys {
  /**
   * A key that reads what is below these prefixes, and adds objects below `writable`. One is shared by all
   * who ask for the same while it lasts long enough; undefined if the object store can't make keys.
   *
   * @throws AppError limit_reached, storage_unavailable
   */
  issue(
    organizationId: string,
    tableId: string,
    prefixes: readonly string[],
    writable?: string,
  ): Promise<TableKey | undefined>;
}

const lifeMs = 3_600_000;
/** A key that ends sooner isn't given out again. */
const leastLifeMs = 2_700_000;
const mostRemembered = 10_000;

/** Keys for engines, remembered by this process alone: what they hold secret is stored nowhere. */
export function createTableKeys({ db, objectKeys }: KeyDeps): TableKeys {
  const known = new LRUCache<string, Promise<TableKey>>({ max: mostRemembered, ttl: lifeMs - leastLifeMs });

  async function make(
    keys: ObjectKeys,
    organizationId: string,
    tableId: string,
    prefixes: readonly string[],
    writable: string | undefined,
  ) {
    const id = newId('ick');
    const expiresAt = new Date(Date.now() + lifeMs);
    // Recorded first, so that a user whose making is cut off is removed too.
    await inOrganization(db, organizationId, async (transaction) => {
      await lockByName(transaction, `iceberg keys of ${organizationId}`);
      const { live } = await transaction
        .selectFrom('iceberg_keys')
        .select((on) => on.fn.countAll<number>().as('live'))
        .where('organization_id', '=', organizationId)
        .executeTakeFirstOrThrow();
      refuseBeyond(limits.tables.icebergKeys, Number(live));
      await transaction
        .insertInto('iceberg_keys')
        .values({ organization_id: organizationId, id, table_id: tableId, expires_at: expiresAt })
        .execute();
    });
    return { ...(await keys.make(id, prefixes, writable)), expiresAt };
  }

  return {
    issue: async (organizationId, tableId, prefixes, writable) => {
      if (objectKeys === undefined) return undefined;
      const hash = createHash('sha256')
        .update(JSON.stringify([prefixes, writable]))
        .digest('hex');
      const name = `${tableId} ${hash}`;
      const kept = known.get(name);
      if (kept !== undefined) return kept;
      const made = make(objectKeys, organizationId, tableId, prefixes, writable);
      known.set(name, made);
      made.catch(() => known.delete(name));
      return made;
    },
  };
}

/** Removes keys whose hour is over. May be repeated. */
export function icebergKeySteps({ db, objectKeys }: KeyDeps): ReconcileStep[] {
  const find = async () => {
    const { rows } = await sql<{ organization_id: string; id: string }>`
      SELECT organization_id, id FROM expired_iceberg_keys(${itemsAtOnce})`.execute(db);
    return rows.map((row) => ({ organizationId: row.organization_id, id: row.id }));
  };
  return [
    itemsStep('iceberg keys', find, async ({ organizationId, id }) => {
      await objectKeys?.remove(id);
      await inOrganization(db, organizationId, (transaction) =>
        transaction
          .deleteFrom('iceberg_keys')
          .where('organization_id', '=', organizationId)
          .where('id', '=', id)
          .execute(),
      );
    }),
  ];
}

/** Removes all keys of an organization that is being deleted. May be repeated. */
export async function endIcebergKeys({ db, objectKeys }: KeyDeps, organizationId: string): Promise<void> {
  const keys = await inOrganization(db, organizationId, (transaction) =>
    transaction
      .selectFrom('iceberg_keys')
      .select('id')
      .where('organization_id', '=', organizationId)
      .execute(),
  );
  for (const { id } of keys) await objectKeys?.remove(id);
}
