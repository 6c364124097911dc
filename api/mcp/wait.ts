import { setTimeout as pause } from 'node:timers/promises';
import { Refusal } from './inside.ts';
import type { ToolCall } from './tool.ts';

const firstPauseMs = 500;
const longestPauseMs = 5_000;

export interface Waiting<State> {
  seconds: number;
  look(): Promise<State>;
  hasEnded(state: State): boolean;
  progressOf(state: State): { done: number; total?: number; message: string };
  /** What is known before the first look: of something that this call began. */
  known?: State | undefined;
}

/**
 * Looks until something has ended or the time is over, less often each time; returns its latest known state.
 * A look that is refused loses nothing that is known: the id of what was begun must reach the caller.
 */
export async function waitFor<State>(call: ToolCall, waiting: Waiting<State>): Promise<State> {
  const { look, hasEnded, progressOf } = waiting;
  const untilMs = Date.now() + waiting.seconds * 1_000;
  let { known } = waiting;
  let done = -1;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    if (call.closing.aborted && known !== undefined) return known;
    try {
      known = await look();
    } catch (error) {
      if (known === undefined || !(error instanceof Refusal)) throw error;
      if (!error.isTransient) return known;
      pauseMs = longestPauseMs;
    }
    const leftMs = untilMs - Date.now();
    if (hasEnded(known) || leftMs <= 0) return known;
    const now = progressOf(known);
    // Progress must grow with each notification.
    done = Math.max(now.done, done + 1e-6);
    await call.progress(done, now.total, now.message);
    await pauseOrClose(Math.min(pauseMs, leftMs), call);
  }
}

/** Ends early when the service is about to stop; rejects when the caller is gone. */
async function pauseOrClose(ms: number, { signal, closing }: ToolCall): Promise<void> {
  await pause(ms, undefined, { signal: AbortSignal.any([signal, closing]) }).catch((error: unknown) => {
    if (signal.aborted || !closing.aborted) throw error;
  });
}
