import { ApplicationFailure } from '@temporalio/common';
import { countSlice } from '../../../domain/workspace/keys/count.ts';
import { resealSlice } from '../../../domain/workspace/keys/reseal.ts';
import type { KeyRotationControlActivities } from '../../../workflows/workspace/key-rotation/contract.ts';
import type { ActivityDeps } from '../../deps.ts';
import { withHeartbeats } from '../../heartbeats.ts';

const valuesOfSlice = 200;
/** A slice reads no further page after this long; the next one goes on there. */
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
