import type { OnPiece } from '../stream/contract.ts';

/** Hands pieces of one statement to their consumer, one after the other. */
export interface Delivery {
  /** Rejects if the consumer does, or gets nothing more. */
  take: OnPiece;
  /** From now on the consumer gets nothing more. */
  close(): void;
  /** Resolves when the consumer has taken everything; rejects if it would not. */
  end(): Promise<void>;
}

/** @param onRefused Called when the consumer rejects */
export function createDelivery(onPiece: OnPiece | undefined, onRefused: (error: unknown) => void): Delivery {
  let isClosed = false;
  let last = Promise.resolve();
  return {
    take: (piece) => {
      last = last.then(() => {
        if (isClosed) throw new Error('The reader takes no more rows.');
        return onPiece?.(piece);
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
