import { RemoteFailure } from '../../../../data/outgoing/failure.ts';
import { limits } from '../../../workspace/limits/limits.ts';

export interface Flow {
  pause(): void;
  resume(): void;
}

export interface SilenceLimits {
  /** Maximum silence between two signs of activity. */
  silenceMs: number;
  /** Maximum silence before the first row, while the source may be scanning a whole table. */
  firstSilenceMs: number;
}

/** Watches a session that transfers rows and may run longer than any timeout for a hanging source. */
export interface SourceWatch {
  /** From now on the source is expected to send. */
  listen(): void;
  /** From now on it is not. */
  rest(): void;
  /** Records that a row was received. */
  row(): void;
  /** Wraps the flow, so that a paused source does not count as silent. */
  flow(flow: Flow): Flow;
  /** The fault, if any, given the bytes received so far. */
  fault(bytesRead: number, nowMs: number): RemoteFailure | undefined;
}

export const copySilence: SilenceLimits = { silenceMs: 5 * 60_000, firstSilenceMs: 30 * 60_000 };

/** One row, as text. */
export const maxRowBytes = limits.connections.rowBytes.most;

/**
 * Drivers buffer a row until it is complete, however long it is, so the bytes are watched too. The buffers
 * between socket and driver hold less than another row.
 */
const maxBytesWithoutRow = maxRowBytes * 2;

export function rowTooLarge(): RemoteFailure {
  return new RemoteFailure(
    'request',
    `A row of the source is larger than ${maxRowBytes / 1_048_576} MiB, which is the limit.`,
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
        // The first check does not count as silence.
        atMs: isSilent && !Number.isNaN(seen.atMs) ? seen.atMs : nowMs,
      };
      if (bytes - seen.bytesAtRow > maxBytesWithoutRow) return rowTooLarge();
      const limitMs = rows === 0 ? firstSilenceMs : silenceMs;
      if (nowMs - seen.atMs <= limitMs) return undefined;
      return new RemoteFailure('connect', `The source sent nothing for ${limitMs / 1_000} s.`);
    },
  };
}
