import { expect, test } from 'vitest';
import {
  compareBehind,
  compareCopy,
  compareEnd,
  compareRequests,
  compareSnapshots,
} from './compare-snapshots.ts';
import type { CopyKey, SeenCopy, StartedSnapshot } from './copies.ts';
import { createJournal, type Invariant, invariants, type Journal } from './journal.ts';
import { createSourceRecords, type SourceRecord } from './source-records.ts';
import type { SourceRequest } from './sources.ts';
import type { Data } from './talks.ts';

/** Three records; the first was changed, and then two at once. */
const records = createSourceRecords();
records.change([1, 2]);
records.change([1]);
records.change([2, 3]);
const rowsAt = (state: number): SourceRecord[] => [...records.stateAt(state).values()];
const seenAt = (state: number): SeenCopy => new Map(rowsAt(state).map(({ id, value }) => [id, value]));
const now = rowsAt(5);
const [one, two] = now as [SourceRecord, SourceRecord, SourceRecord];

/** A source with two rows besides its records. */
const source = { records, beside: 2 };
const copyOf = (rows: readonly SourceRecord[]) => ({ records: [...rows], beside: 2 });

function breachesOf(compare: (journal: Journal) => void): Invariant[] {
  const journal = createJournal(() => {});
  compare(journal);
  return (Object.keys(invariants) as Invariant[]).filter((name) => journal.breaches(name).length > 0);
}

test('a copy of any state, newer than what was seen, breaks nothing', () => {
  for (const state of [2, 3, 5])
    for (const copy of ['changes', 'whole', 'table', 'growth'] as const)
      expect(
        breachesOf((journal) => compareCopy(journal, copy, copyOf(rowsAt(state)), source, seenAt(2))),
      ).toEqual([]);
  // Changes are read while they arrive: records of several states are next to each other.
  const mixed = [rowsAt(2)[0]!, two];
  expect(breachesOf((journal) => compareCopy(journal, 'changes', copyOf(mixed), source, seenAt(2)))).toEqual(
    [],
  );
});

test.each<[string, CopyKey, readonly SourceRecord[], SeenCopy | undefined, Invariant[]]>([
  ['a record that is there twice', 'changes', [...now, { ...one }], undefined, ['copyDoubled']],
  [
    'a record as it was and as it is',
    'changes',
    [...now, rowsAt(2)[0]!],
    seenAt(5),
    ['copyDoubled', 'copyBack'],
  ],
  ['a value of another record', 'changes', [{ ...one, value: 4 }], undefined, ['copyAltered']],
  ['an instant that is not its own', 'changes', [{ ...one, at: two.at }], undefined, ['copyAltered']],
  ['a whole of two states', 'whole', [rowsAt(2)[0]!, ...now.slice(1)], undefined, ['copyTorn']],
  ['a table of two states', 'table', [rowsAt(2)[0]!, ...now.slice(1)], undefined, ['copyTorn']],
  ['an increment of two states', 'growth', [rowsAt(2)[0]!, ...now.slice(1)], undefined, ['copyTorn']],
  ['a whole without a record', 'whole', now.slice(0, 2), undefined, ['copyTorn']],
  ['a record that is gone again', 'changes', now.slice(1), seenAt(3), ['copyBack']],
  ['a record that is older again', 'changes', rowsAt(2), seenAt(3), ['copyBack']],
  ['a whole that is older again', 'whole', rowsAt(2), seenAt(5), ['copyBack']],
])('%s is seen', (_what, copy, rows, before, expected) => {
  expect(breachesOf((journal) => compareCopy(journal, copy, copyOf(rows), source, before))).toEqual(expected);
});

test('a row beside the records that is missing is seen', () => {
  const short = { ...copyOf(now), beside: 1 };
  expect(breachesOf((journal) => compareCopy(journal, 'table', short, source))).toEqual(['copyTorn']);
});

test('what was there before a snapshot is there after it, or newer', () => {
  const behind = (rows: readonly SourceRecord[], before: number) =>
    breachesOf((journal) => compareBehind(journal, 's-1', rows, records, before));
  expect(behind(now, 3)).toEqual([]);
  expect(behind(rowsAt(3), 3)).toEqual([]);
  expect(behind(rowsAt(2), 3)).toEqual(['copyBehind']);
  expect(behind(now.slice(1), 3)).toEqual(['copyBehind']);
});

test('in the end a copy is the source', () => {
  const end = (rows: readonly SourceRecord[]) =>
    breachesOf((journal) => compareEnd(journal, 'changes', rows, records));
  expect(end(now)).toEqual([]);
  for (const other of [now.slice(1), rowsAt(3), [...now, { ...one, id: 9 }], []])
    expect(end(other)).toEqual(['copyEnd']);
});

const snapshot: StartedSnapshot = { tag: 's-1', copy: 'whole', before: 2, id: 'snp_1', isRefused: false };
const refused: StartedSnapshot = { ...snapshot, tag: 's-2', id: undefined, isRefused: true };
const run: Data = { id: 'snp_1', status: 'succeeded', error: null };
const failed = (error: Data): Data => ({ ...run, status: 'failed', error });

test.each<[string, Data[], StartedSnapshot[], Invariant[]]>([
  ['a snapshot that succeeded', [run], [snapshot, refused], []],
  ['one that nobody was told of', [run], [{ ...snapshot, id: undefined }], []],
  ['a source that broke', [failed({ code: 'source_failed', stage: 'connect' })], [snapshot], []],
  ['a snapshot that is lost', [], [snapshot], ['snapshotLost']],
  ['one of nobody', [run, { ...run, id: 'snp_2' }], [snapshot, refused], ['snapshotDoubled']],
  ['one of two starts', [run], [snapshot, { ...snapshot, tag: 's-3' }], ['snapshotDoubled']],
  ['one under way', [{ ...run, status: 'running' }], [snapshot], ['snapshotStuck']],
  ['one that waits', [{ ...run, status: 'awaiting_confirmation' }], [snapshot], ['snapshotStuck']],
  ['a cancel of nobody', [{ ...run, status: 'cancelled' }], [snapshot], ['snapshotEnd']],
  ['a failure of ours', [failed({ code: 'internal_error' })], [snapshot], ['snapshotEnd']],
  ['a refusal', [failed({ code: 'source_failed', stage: 'request' })], [snapshot], ['snapshotEnd']],
])('%s comes to its breaches', (_what, runs, started, expected) => {
  expect(breachesOf((journal) => compareSnapshots(journal, started, runs))).toEqual(expected);
});

const limits = { requests_per_second: 4, max_concurrency: 2 };
const requests = (count: number, everyMs: number, lastsMs: number): SourceRequest[] =>
  Array.from({ length: count }, (_, n) => ({ fromMs: n * everyMs, toMs: n * everyMs + lastsMs }));

test('requests beyond the limits are seen, in any second and at any moment', () => {
  const breaches = (given: SourceRequest[]) =>
    breachesOf((journal) => compareRequests(journal, given, limits));
  expect(breaches(requests(40, 250, 400))).toEqual([]);
  // Two that were delayed on their way.
  expect(breaches(requests(6, 100, 10))).toEqual([]);
  expect(breaches(requests(7, 100, 10))).toEqual(['sourceLimit']);
  expect(breaches([...requests(40, 250, 10), ...requests(4, 1, 1)])).toEqual(['sourceLimit']);
  expect(breaches(requests(3, 300, 800))).toEqual(['sourceLimit']);
  expect(breaches(requests(3, 300, Number.POSITIVE_INFINITY))).toEqual(['sourceLimit']);
});
