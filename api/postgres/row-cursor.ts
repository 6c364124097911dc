import { AppError } from '../../data/errors.ts';
import type { OnPiece } from '../../domain/tables/query/stream/contract.ts';

/** Writes bytes to a client; resolves when it takes more. */
export type Write = (bytes: Uint8Array) => Promise<void>;

export interface Pulled {
  rows: number;
  /** Whether there are no more; otherwise more can be pulled. */
  isDone: boolean;
  /** Whether rows beyond the limit were left out. */
  truncated: boolean;
}

/** Rows of a statement, as messages, of which as many are taken as a client asks for. */
export interface RowCursor {
  /** @param mostRows all that are left if 0 */
  pull(mostRows: number, write: Write): Promise<Pulled>;
  /** Ends the statement. */
  close(): void;
}

export type Produce = (
  onPiece: OnPiece,
  signal: AbortSignal,
) => Promise<{ rowCount: number; truncated: boolean }>;

/** Meanwhile it holds a process. */
const mostIdleMs = 60_000;

interface Demand {
  left: number;
  write: Write;
  rows: number;
  done: PromiseWithResolvers<Pulled>;
}

export function createRowCursor(produce: Produce): RowCursor {
  const ending = new AbortController();
  const cut = createCutter();
  let demand: Demand | undefined;
  let wake: (() => void) | undefined;
  let hasBegun = false;
  let ended: { truncated: boolean } | { error: unknown } | undefined;

  const onPiece: OnPiece = async ({ bytes }) => {
    let rest = bytes;
    while (rest.length > 0) {
      if (demand === undefined) await demanded();
      const { write, left } = demand!;
      const { end, rows } = cut(rest, left);
      const part = rest.subarray(0, end);
      rest = rest.subarray(end);
      demand!.rows += rows;
      demand!.left -= rows;
      await write(part);
      if (left !== Number.POSITIVE_INFINITY && demand?.left === 0) {
        const { done, rows: taken } = demand;
        demand = undefined;
        done.resolve({ rows: taken, isDone: false, truncated: false });
      }
    }
  };

  function demanded(): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (error?: AppError) => {
        clearTimeout(timer);
        wake = undefined;
        if (error === undefined) resolve();
        else reject(error);
      };
      const timer = setTimeout(() => settle(unread()), mostIdleMs);
      wake = () => settle(ending.signal.aborted ? unread() : undefined);
      if (ending.signal.aborted) wake();
    });
  }

  function finish(end: NonNullable<typeof ended>): void {
    ended = end;
    ending.abort();
    wake?.();
    const waiting = demand;
    demand = undefined;
    if (waiting === undefined) return;
    if ('error' in end) waiting.done.reject(end.error);
    else waiting.done.resolve({ rows: waiting.rows, isDone: true, truncated: end.truncated });
  }

  return {
    pull(mostRows, write) {
      if (ended !== undefined)
        return 'error' in ended
          ? Promise.reject(ended.error)
          : Promise.resolve({ rows: 0, isDone: true, truncated: ended.truncated });
      const done = Promise.withResolvers<Pulled>();
      demand = { left: mostRows === 0 ? Number.POSITIVE_INFINITY : mostRows, write, rows: 0, done };
      if (!hasBegun) {
        hasBegun = true;
        produce(onPiece, ending.signal).then(
          ({ truncated }) => finish({ truncated }),
          (error: unknown) => finish({ error }),
        );
      }
      wake?.();
      return done.promise;
    },
    close() {
      ending.abort();
      wake?.();
    },
  };
}

const unread = () => new AppError('query_failed', "The result wasn't read to its end.");
const headerBytes = 5;
/** Of a row, and of a row of a COPY. */
const rowKinds = [68, 100];

/** Finds where a number of rows ends. Messages may be cut anywhere by the pieces in which they come. */
function createCutter(): (bytes: Uint8Array, mostRows: number) => { end: number; rows: number } {
  const header = Buffer.alloc(headerBytes);
  let headerLength = 0;
  let missing = 0;
  return (bytes, mostRows) => {
    let at = 0;
    let rows = 0;
    while (at < bytes.length && rows < mostRows) {
      if (headerLength < headerBytes) {
        header[headerLength] = bytes[at]!;
        headerLength += 1;
        at += 1;
        if (headerLength < headerBytes) continue;
        missing = header.readUInt32BE(1) - 4;
      }
      const taken = Math.min(missing, bytes.length - at);
      at += taken;
      missing -= taken;
      if (missing > 0) continue;
      headerLength = 0;
      if (rowKinds.includes(header[0]!)) rows += 1;
    }
    return { end: at, rows };
  };
}
