import type { OnChunk } from '../stream/contract.ts';

/** Hands pieces of one statement to their consumer, one after the other. */
export interface Delivery {
  /** Rejects if the consumer does, or gets nothing more. */
  take: OnChunk;
  /** From now on the consumer gets nothing more. */
  close(): void;
  /** Resolves when the consumer has taken everything; rejects if it would not. */
  end(): Promise<void>;
}

/** @param onRefused Called when the consumer rejects */
export function createDelivery(onChunk: OnChunk | undefined, onRefused: (error: unknown) => void): Delivery {
  let isClosed = false;
  let last = Promise.resolve();
  return {
    take: (bytes, rowCount) => {
      last = last.then(() => {
        if (isClosed) throw new Error('Nothing more is handed on.');
        return onChunk?.(bytes, rowCount);
      });
      last.catch(onRefused);
      return last;
    },
    close: () => {
      isClosed = true;
    },
    end: () => last,
  };
}
