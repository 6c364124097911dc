import type { Writable } from 'node:stream';
import type { MadePiece } from '../writer.ts';
import { frameBytes, writeFrame } from './frames.ts';

/** The way of one statement's pieces out of the process: no more are made than their reader takes. */
export interface Outflow {
  /** Number of pieces sent; once there are any, the statement cannot be run anew. */
  readonly sent: number;
  /** Copies the piece; resolves when the next one may be made, or when the wait is ended. */
  send(piece: MadePiece): Promise<void>;
  /** Ends every wait from now on. */
  endWaits(): void;
}

/** One is on its way while the next is made. */
const mostUnderWay = 2;
/** What a long row took is not kept. */
const mostKeptBytes = 2 * 1_048_576;

export function createOutflow(pipe: Writable, statementId: number): Outflow {
  let sent = 0;
  let underWay = 0;
  let isWaiting = true;
  let wake: (() => void) | undefined;
  /** Memory of pieces that have left, used again: fresh memory for each would have to be collected. */
  const spare: Buffer[] = [];
  const memoryOf = (bytes: number): Buffer => {
    const given = spare.pop();
    return given !== undefined && given.length >= bytes ? given : Buffer.allocUnsafeSlow(bytes);
  };
  const left = (memory: Buffer) => {
    underWay -= 1;
    if (memory.length <= mostKeptBytes) spare.push(memory);
    wake?.();
  };
  return {
    get sent() {
      return sent;
    },
    send: async (piece) => {
      sent += 1;
      underWay += 1;
      const bytes = frameBytes(piece);
      const memory = memoryOf(bytes);
      writeFrame(memory, statementId, piece);
      pipe.write(memory.subarray(0, bytes), () => left(memory));
      while (isWaiting && underWay >= mostUnderWay) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    endWaits: () => {
      isWaiting = false;
      wake?.();
    },
  };
}
