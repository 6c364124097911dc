import {
  ApplicationFailure,
  CancelledFailure,
  defineQuery,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  sleep,
} from '@temporalio/workflow';
import { databaseOnly } from '../../activity-options.ts';
import { wasCancelled } from '../../cancellation.ts';
import { continueOnNewest, watchGrowth } from '../../history.ts';
import { recordOutcome } from '../../outcome.ts';
import { taskQueues } from '../../task-queues.ts';
import type {
  KeyRotationControlActivities,
  KeyRotationInput,
  KeyRotationProgress,
  KeyRotationState,
  SealedCount,
  UnopenedValues,
} from './contract.ts';
import { keyRotationProgressQuery } from './names.ts';

const control = proxyActivities<KeyRotationControlActivities>({
  ...databaseOnly,
  taskQueue: taskQueues.control,
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '20 seconds',
});

/** Between two passes: a process that still has the old list writes now and then, not all the time. */
const restMs = 10_000;

export const progressQuery = defineQuery<KeyRotationProgress>(keyRotationProgressQuery);

/**
 * Seals all values that are under another key again, under this one: counts them, visits all of them, and
 * counts again, until none is left or only such that no configured key opens.
 */
export async function keyRotation(input: KeyRotationInput): Promise<KeyRotationProgress> {
  const { keyId } = input;
  const state: KeyRotationState = input.state ?? {
    step: 'count',
    position: null,
    passes: 0,
    counting: [],
    counts: null,
    done: {},
    unopened: [],
  };
  setHandler(progressQuery, () => progressOf(keyId, state));
  try {
    await rotate(keyId, state);
  } catch (error) {
    if (!wasCancelled(error)) throw error;
    recordOutcome(
      'cancelled',
      `Was cancelled. Another rotation continues its work. ${progressText(keyId, state)}`,
    );
    throw new CancelledFailure('The rotation was cancelled.');
  }
  recordOutcome('succeeded', `Every value is encrypted with the key ${keyId}. ${progressText(keyId, state)}`);
  return progressOf(keyId, state);
}

async function rotate(keyId: string, state: KeyRotationState): Promise<void> {
  const growth = watchGrowth();
  for (;;) {
    if (growth.look()) await continueOnNewest<typeof keyRotation>({ keyId, state });
    setCurrentDetails(progressText(keyId, state));
    if (state.step === 'count') {
      await countSome(state);
      if (state.position !== null) continue;
      state.counts = state.counting;
      state.counting = [];
      const left = sum(othersOf(keyId, state));
      if (left === 0) return;
      if (left <= sum(state.unopened)) throw unopenedFailure(keyId, state.unopened);
      if (state.passes > 0) await rest(keyId, state);
      state.step = 'reseal';
      state.unopened = [];
    } else {
      await resealSome(keyId, state);
      if (state.position !== null) continue;
      state.passes += 1;
      state.step = 'count';
    }
  }
}

async function countSome(state: KeyRotationState): Promise<void> {
  const { counts, next } = await control.countSealedValues.executeWithOptions(
    { summary: 'Counts values by key' },
    [state.position],
  );
  state.counting = added(state.counting, counts);
  state.position = next;
}

async function resealSome(keyId: string, state: KeyRotationState): Promise<void> {
  const { resealed, changed, unopened, next } = await control.resealValues.executeWithOptions(
    { summary: `Re-encrypts with ${keyId}` },
    [keyId, state.position],
  );
  const subtracted = [...resealed, ...changed].map((some) => ({ ...some, count: -some.count }));
  state.counts = added(state.counts ?? [], subtracted);
  for (const { column, count } of resealed) state.done[column] = (state.done[column] ?? 0) + count;
  state.unopened = added(state.unopened, unopened);
  state.position = next;
}

/** Something was written under another key during the last pass. */
async function rest(keyId: string, state: KeyRotationState): Promise<void> {
  setCurrentDetails(
    `${progressText(keyId, state)} In the meantime, values were written with another key. Does a process still have another key first?`,
  );
  await sleep(restMs, { summary: 'Before the next pass' });
}

function added<Some extends SealedCount & Partial<UnopenedValues>>(
  sums: readonly Some[],
  more: readonly Some[],
): Some[] {
  const result = sums.map((some) => ({ ...some }));
  for (const some of more) {
    const known = result.find(
      ({ column, keyId, reason }) => column === some.column && keyId === some.keyId && reason === some.reason,
    );
    if (known === undefined) result.push({ ...some });
    else known.count += some.count;
  }
  return result;
}

const sum = (counts: readonly SealedCount[]): number => counts.reduce((total, { count }) => total + count, 0);

/** Of other keys. A value that came after the count may make a number negative. */
const othersOf = (keyId: string, { counts }: KeyRotationState): SealedCount[] =>
  (counts ?? []).filter((some) => some.keyId !== keyId && some.count > 0);

function progressOf(keyId: string, state: KeyRotationState): KeyRotationProgress {
  const others = othersOf(keyId, state);
  const columns = new Set([...Object.keys(state.done), ...others.map(({ column }) => column)]);
  const byColumn = [...columns].sort().map((column) => {
    const left = sum(others.filter((some) => some.column === column));
    return [column, { done: state.done[column] ?? 0, left }] as const;
  });
  return {
    keyId,
    done: byColumn.reduce((total, [, { done }]) => total + done, 0),
    left: state.counts === null ? null : sum(others),
    byColumn: Object.fromEntries(byColumn),
    unopened: state.unopened,
  };
}

function progressText(keyId: string, state: KeyRotationState): string {
  const { done, left, byColumn } = progressOf(keyId, state);
  if (left === null) return 'Counting the values by key.';
  const columns = Object.entries(byColumn).map(
    ([name, some]) => `${name} ${some.done}/${some.done + some.left}`,
  );
  const details = columns.length === 0 ? '' : ` (${columns.join(', ')})`;
  return `Re-encrypted ${done} with ${keyId}, ${left} left${details}.`;
}

function unopenedFailure(keyId: string, unopened: readonly UnopenedValues[]): ApplicationFailure {
  const listed = (reason: UnopenedValues['reason']) =>
    unopened
      .filter((some) => some.reason === reason)
      .map(({ column, keyId: id, count }) => `${count} of ${column} under ${id}`)
      .join(', ');
  const missing = new Set(unopened.flatMap((some) => (some.reason === 'missing' ? [some.keyId] : [])));
  const message = [
    `All other values are encrypted with the key ${keyId}.`,
    missing.size === 0
      ? ''
      : `ENCRYPTION_KEYS lacks the key ${[...missing].join(', ')}: ${listed('missing')}. Add it at the end and rotate again.`,
    listed('unreadable') === ''
      ? ''
      : `The configured key can't decrypt ${listed('unreadable')}. Another key may have had this id.`,
  ];
  const text = message.filter((text) => text !== '').join(' ');
  recordOutcome('failed', text);
  return ApplicationFailure.create({ type: 'values_unopened', message: text, nonRetryable: true });
}
