import { RemoteFailure } from '../../../../data/outgoing/failure.ts';

export interface Flow {
  pause(): void;
  resume(): void;
}

export interface SilenceLimits {
  /** Between one sign of the source and the next. */
  silenceMs: number;
  /** Before its first row, while it may have a whole table to look at. */
  firstSilenceMs: number;
}

/** Looks after a session in which rows come, for longer than anybody would wait for a source that hangs. */
export interface SourceWatch {
  /** From now on something should come. */
  listen(): void;
  /** From now on nothing has to. */
  rest(): void;
  /** Tells that a row was taken. */
  row(): void;
  /** The same flow; a source that is asked to wait is not taken for one that is silent. */
  flow(flow: Flow): Flow;
  /** What is wrong, by how much came so far. */
  fault(bytesRead: number, nowMs: number): RemoteFailure | undefined;
}

export const copySilence: SilenceLimits = { silenceMs: 5 * 60_000, firstSilenceMs: 30 * 60_000 };

/** One row, as text. */
export const maxRowBytes = 16_777_216;

/**
 * The drivers keep what comes until a row is whole, however long it is: so the bytes are looked at as well.
 * What lies in buffers between the two is less than another row.
 */
const maxBytesWithoutRow = maxRowBytes * 2;

export function rowTooLarge(): RemoteFailure {
  return new RemoteFailure(
    'request',
    `A row has more than ${maxRowBytes / 1_048_576} MiB, which is the most.`,
  );
}

export function createSourceWatch({ silenceMs, firstSilenceMs }: SilenceLimits): SourceWatch {
  let isListening = false;
  let isPaused = false;
  let rows = 0;
  let seen = { rows: 0, bytes: 0, bytesAtRow: 0, atMs: Number.NaN };
  return {
    listen() {
      isListening = true;
    },
    rest() {
      isListening = false;
    },
    row() {
      rows += 1;
    },
    flow: (flow) => ({
      pause() {
        isPaused = true;
        flow.pause();
      },
      resume() {
        isPaused = false;
        flow.resume();
      },
    }),
    fault(bytes, nowMs) {
      const hasRow = rows !== seen.rows;
      const isSilent = isListening && !isPaused && !hasRow && bytes === seen.bytes;
      seen = {
        rows,
        bytes,
        bytesAtRow: hasRow ? bytes : seen.bytesAtRow,
        // The first look is no silence yet.
        atMs: isSilent && !Number.isNaN(seen.atMs) ? seen.atMs : nowMs,
      };
      if (bytes - seen.bytesAtRow > maxBytesWithoutRow) return rowTooLarge();
      const limitMs = rows === 0 ? firstSilenceMs : silenceMs;
      if (nowMs - seen.atMs <= limitMs) return undefined;
      return new RemoteFailure('connect', `The source sent nothing for ${limitMs / 1_000} s.`);
    },
  };
}
