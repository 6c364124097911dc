import { OutgoingError } from './errors.ts';

/** Bytes that may still be read. Several answers may share one budget. */
export interface ByteBudget {
  /** @throws OutgoingError once more was read than there is */
  take(bytes: number): void;
  /** Aborts when the budget is exceeded, for code that waits for something other than the bytes. */
  readonly exceeded: AbortSignal;
}

export function createByteBudget(maxBytes: number): ByteBudget {
  let leftBytes = maxBytes;
  const over = new AbortController();
  return {
    exceeded: over.signal,
    take(bytes) {
      leftBytes -= bytes;
      if (leftBytes >= 0) return;
      const error = new OutgoingError('too_large', `The response is larger than ${inUnits(maxBytes)}.`);
      over.abort(error);
      throw error;
    },
  };
}

function inUnits(bytes: number): string {
  return bytes >= 1_048_576 ? `${Math.floor(bytes / 1_048_576)} MiB` : `${Math.floor(bytes / 1_024)} KiB`;
}
