import { ApplicationFailure } from '@temporalio/common';
import { removeSomeTables } from '../../data/lake/remove.ts';
import { countSlice } from '../../domain/workspace/keys/count.ts';
import { resealSlice } from '../../domain/workspace/keys/reseal.ts';
import { removeSomeRows, tablesToEmpty } from '../../domain/workspace/organizations/deletion/rows.ts';
import { beginDeletion, finishDeletion } from '../../domain/workspace/organizations/deletion/states.ts';
import type { KeyRotationControlActivities } from '../../workflows/workspace/key-rotation/contract.ts';
import type { OrganizationDeletionControlActivities } from '../../workflows/workspace/organization-deletion/contract.ts';
import type { ActivityDeps } from '../deps.ts';
import { withHeartbeats } from '../heartbeats.ts';

const valuesOfSlice = 200;
/** A slice starts nothing more after this time; the next slice continues there. */
const sliceMs = 10_000;

export function keyRotationControlActivities(
  deps: Pick<ActivityDeps, 'db' | 'cipher'>,
): KeyRotationControlActivities {
  const overAfterSlice = () => {
    const endMs = Date.now() + sliceMs;
    return () => Date.now() > endMs;
  };
  return {
    /** Safe to retry: only reads. */
    countSealedValues: (from) => withHeartbeats({}, {}, () => countSlice(deps, from, overAfterSlice())),

    /** Safe to retry: a value that is sealed under the first key is left alone. */
    resealValues: (keyId, from) =>
      withHeartbeats({}, {}, (_, signal) => {
        refuseOtherKey(deps.cipher.keyIds[0], keyId);
        return resealSlice(deps, from, { values: valuesOfSlice, isOver: overAfterSlice(), signal });
      }),
  };
}

/** Retried until a worker with the right list takes it. */
function refuseOtherKey(first: string, keyId: string): void {
  if (first === keyId) return;
  throw ApplicationFailure.create({
    type: 'other_key_first',
    message: `This worker encrypts with the key ${first}. ENCRYPTION_KEYS of every process must begin with ${keyId}.`,
  });
}

export function organizationDeletionControlActivities({
  db,
  lake: { catalogPool },
}: Pick<ActivityDeps, 'db' | 'lake'>): OrganizationDeletionControlActivities {
  const overAfterSlice = () => {
    const endMs = Date.now() + sliceMs;
    return () => Date.now() > endMs;
  };
  return {
    /** Safe to retry: what has begun stays begun. */
    beginDeletion: (organizationId) => beginDeletion(db, organizationId),

    /** Safe to retry: tables that are gone are not found. */
    removeLakeTables: ({ organizationId, lake: schema }) =>
      withHeartbeats({}, {}, async () => {
        const isOver = overAfterSlice();
        for (let tables = 0; ; ) {
          const { removed, left } = await removeSomeTables(catalogPool, { organizationId, schema });
          tables += removed;
          if (left === null || isOver()) return { tables, left };
        }
      }),

    /** Safe to retry: rows that are gone are not found. */
    removeRows: (organizationId) =>
      withHeartbeats({}, {}, () => removeSomeRows(catalogPool, organizationId, overAfterSlice())),

    /** Safe to retry: an organization that is gone is gone. */
    finishDeletion: async (organizationId) =>
      finishDeletion(catalogPool, organizationId, await tablesToEmpty(catalogPool)),
  };
}

export const workspaceControlActivities = (deps: ActivityDeps) => ({
  ...keyRotationControlActivities(deps),
  ...organizationDeletionControlActivities(deps),
});
