import { derivedId } from '../../../../../data/ids.ts';
import { attemptMsOf, type NodeCall, seedOf } from '../node-work.ts';

/** The id of the snapshot or run that a node starts, one per attempt. It may never have been started. */
export const childRunId = (call: Pick<NodeCall, 'run' | 'node' | 'state'>): string =>
  derivedId(call.node.type === 'snapshot' ? 'snp' : 'run', attemptMsOf(call), seedOf(call as NodeCall));

/** It signals its end; polling covers a lost signal. */
const lookEveryMs = 300_000;

export const nextLook = (): number => Date.now() + lookEveryMs;

/** Delay while others are under way that come first; grows with the time that the node has waited. */
const firstTurnMs = 15_000;
const longestTurnMs = 300_000;

export const nextTurnMs = (waitedMs: number): number =>
  Math.min(Math.max(waitedMs / 10, firstTurnMs), longestTurnMs);

export function nextTurn({ state }: Pick<NodeCall, 'state'>): number {
  const nowMs = Date.now();
  return nowMs + nextTurnMs(nowMs - state.started_at!.getTime());
}
