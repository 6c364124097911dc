import { pause } from './pause.ts';

/** Anything that has a life: a run, an import, an export, a batch, a snapshot. */
export interface Lasting {
  status: string;
}

/** States that are not the last: of a run, `waiting` is for a time, another run or a person. */
const underWay = new Set(['queued', 'running', 'waiting', 'completing', 'applying']);

export interface WaitOptions<State> {
  /** Called with each state that was looked at. */
  onProgress?: (state: State) => void;
  signal?: AbortSignal;
  /** The longest pause between two looks, in milliseconds; default: 2,000. */
  everyMs?: number;
}

/**
 * Looks until something has ended or awaits a confirmation, and resolves with that state; a failure is a state
 * too. Aborting ends the waiting, not the work.
 */
export async function wait<State extends Lasting>(
  look: () => Promise<State>,
  { onProgress, signal, everyMs = 2_000 }: WaitOptions<State> = {},
): Promise<State> {
  for (let ms = 100; ; ms = Math.min(ms * 1.25, everyMs)) {
    signal?.throwIfAborted();
    const state = await look();
    onProgress?.(state);
    if (!underWay.has(state.status)) return state;
    await pause(ms, signal);
  }
}
