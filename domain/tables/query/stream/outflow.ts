import type { Piece } from './contract.ts';

/** The way of pieces out of the process: no more are made than their reader takes. */
export interface Outflow {
  /** Whether anything was sent; from then on the statement cannot be run anew. */
  readonly hasBegun: boolean;
  /** Resolves when the next piece may be made, or when the wait is ended. */
  send(piece: Piece): Promise<void>;
  /** The reader took one piece. */
  taken(): void;
  /** Ends every wait from now on. */
  endWaits(): void;
}

/** One is being read while the next is made. */
const mostUnderWay = 2;

export function createOutflow(send: (piece: Piece) => void): Outflow {
  let hasBegun = false;
  let underWay = 0;
  let isWaiting = true;
  let wake: (() => void) | undefined;
  return {
    get hasBegun() {
      return hasBegun;
    },
    send: async (piece) => {
      hasBegun = true;
      underWay += 1;
      send(piece);
      while (isWaiting && underWay >= mostUnderWay) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    taken: () => {
      underWay -= 1;
      wake?.();
    },
    endWaits: () => {
      isWaiting = false;
      wake?.();
    },
  };
}
