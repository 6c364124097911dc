import { setTimeout as pause } from 'node:timers/promises';
import type { ToolCall } from './tool.ts';

const firstPauseMs = 500;
const longestPauseMs = 5_000;

/** Looks until something has ended or the time is over, less often each time; returns its latest state. */
export async function waitFor<State>(
  call: ToolCall,
  waitSeconds: number,
  look: () => Promise<State>,
  hasEnded: (state: State) => boolean,
  told: (state: State) => { done: number; total?: number; message: string },
): Promise<State> {
  const untilMs = Date.now() + waitSeconds * 1_000;
  let before = -1;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    const state = await look();
    const leftMs = untilMs - Date.now();
    if (hasEnded(state) || leftMs <= 0) return state;
    const { done, total, message } = told(state);
    // Progress must grow with each notification.
    before = Math.max(done, before + 1e-6);
    await call.progress(before, total, message);
    await pause(Math.min(pauseMs, leftMs), undefined, { signal: call.signal });
  }
}
