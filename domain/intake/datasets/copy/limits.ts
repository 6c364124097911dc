import { RemoteFailure } from '../../../../data/outgoing/failure.ts';
import { limits } from '../../../workspace/limits/limits.ts';
import type { SessionLimits } from '../../data-connections/sources/sockets.ts';
import { copySilence } from '../../data-connections/sources/watch.ts';

/** Per dataset of an object store. */
export const maxObjects = limits.connections.objects.most;

const gibibyte = 1_073_741_824;

/** Failure of a copy that exceeds the operator's limit. */
export function copyTooLarge(maxBytes: number): RemoteFailure {
  const most = Number((maxBytes / gibibyte).toPrecision(3));
  return new RemoteFailure(
    'request',
    `The resource is larger than ${most} GiB, which is the limit of a copy. Choose a smaller part of it, or ask the operator to raise the limit.`,
  );
}

/** Per copy, from when it gets its engine. */
export const copyTimeoutMs = 2 * 3_600_000;

export const copyLimits: SessionLimits = { ...copySilence, loginTimeoutMs: 30_000 };
