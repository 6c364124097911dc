import {
  type Copies,
  type CopyKey,
  type CopyRows,
  type CopySource,
  endStatuses,
  type SeenCopy,
  type StartedSnapshot,
} from './copies.ts';
import type { Journal } from './journal.ts';
import type { SourceRecord, SourceRecords, SourceState } from './source-records.ts';
import type { SourceRequest } from './sources.ts';
import type { Data } from './talks.ts';

/** Compares one read of a copy with the source, and with what was seen before the read began. */
export function compareCopy(
  journal: Journal,
  copy: CopyKey,
  { records: rows, beside }: CopyRows,
  source: Pick<CopySource, 'records' | 'beside'>,
  before: SeenCopy = new Map(),
): void {
  const { records } = source;
  const found = new Map(rows.map((row) => [row.id, row]));
  const doubled = rows.filter((row) => found.get(row.id) !== row);
  if (doubled.length > 0) journal.breach('copyDoubled', `${copy}: ${listed(doubled)}`);
  const unknown = rows.filter((row) => !isSame(records.changes[row.value - 1], row));
  if (unknown.length > 0) journal.breach('copyAltered', `${copy}: ${listed(unknown)}`);
  if (rows.length > 0 && beside !== source.beside)
    journal.breach('copyTorn', `${copy}: ${beside} rows beside the records`);
  // Only changes are read as they arrive, from several states.
  if (copy !== 'changes') {
    const state = stateOf(records, Math.max(0, ...rows.map(({ value }) => value)));
    const torn = unlike(found, records.stateAt(state));
    if (torn.length > 0) journal.breach('copyTorn', `${copy}, not the state ${state}: ${listed(torn)}`);
  }
  const back = [...before].filter(([id, value]) => (found.get(id)?.value ?? 0) < value);
  if (back.length > 0)
    journal.breach('copyBack', `${copy}: ${listed(back.map(([id]) => found.get(id) ?? { id }))}`);
}

/** After a successful snapshot every record is as it was before the snapshot's start, or newer. */
export function compareBehind(
  journal: Journal,
  snapshot: string,
  rows: readonly SourceRecord[],
  records: SourceRecords,
  before: number,
): void {
  const found = new Map(rows.map(({ id, value }) => [id, value]));
  const behind = [...records.stateAt(before).values()].filter(
    ({ id, value }) => (found.get(id) ?? 0) < value,
  );
  if (behind.length > 0) journal.breach('copyBehind', `${snapshot}: ${listed(behind)}`);
}

/** Once the source is idle and has been copied again, the copy equals the source. */
export function compareEnd(
  journal: Journal,
  copy: CopyKey,
  rows: readonly SourceRecord[],
  records: SourceRecords,
): void {
  const other = unlike(new Map(rows.map((row) => [row.id, row])), records.stateAt(records.changes.length));
  if (other.length > 0) journal.breach('copyEnd', `${copy}: ${listed(other)}`);
  journal.count('compared row by row', `rows of the copy ${copy}`, rows.length);
}

/** Compares every existing snapshot with what clients were told of it. */
export function compareSnapshots(
  journal: Journal,
  started: readonly StartedSnapshot[],
  runs: readonly Data[],
): void {
  const known = new Map<string, StartedSnapshot>();
  for (const snapshot of started) {
    const { tag, id, isRefused } = snapshot;
    if (isRefused) journal.count('snapshots of datasets', 'refused, as another was active');
    if (id === undefined) continue;
    if (!runs.some((run) => run.id === id)) journal.breach('snapshotLost', `${tag}: ${id}`);
    if (known.has(id)) journal.breach('snapshotDoubled', `${tag} is ${known.get(id)?.tag} too`);
    known.set(id, snapshot);
  }
  // A snapshot that no client knows of is valid, up to the number of starts without an answer.
  const open = started.filter(({ id, isRefused }) => id === undefined && !isRefused).length;
  const unasked = runs.filter(({ id }) => !known.has(id));
  if (unasked.length > open) journal.breach('snapshotDoubled', `${unasked.map(({ id }) => id)} of nobody`);
  for (const { id, status, error } of runs) {
    const end = `${status} ${error?.code ?? ''} ${error?.stage ?? ''}`.trim();
    journal.count('snapshots of datasets', end);
    if (!endStatuses.includes(status)) journal.breach('snapshotStuck', `${id}: ${end}`);
    else if (status === 'cancelled' || (status === 'failed' && !isCaused(error)))
      journal.breach('snapshotEnd', `${id}: ${end} ${error?.message ?? ''}`);
  }
}

/**
 * The source breaks connections, and an engine that is killed twice in one attempt may appear to have died of
 * what it read.
 */
function isCaused(error: Data): boolean {
  return (error?.code === 'source_failed' && error.stage === 'connect') || error?.code === 'engine_failed';
}

/** The driver learns of an end slightly later than the client that caused it. */
const lateMs = 25;

/**
 * Compares requests at the source with its limits. Requests that were admitted and then delayed, by a pause
 * or by this process, arrive together with later ones; their number is limited by the maximum concurrency.
 */
export function compareRequests(
  journal: Journal,
  requests: readonly SourceRequest[],
  { requests_per_second: perSecond, max_concurrency: atOnce }: Copies['limits'],
): void {
  journal.count('requests to the source', 'came', requests.length);
  const sorted = requests.toSorted((a, b) => a.fromMs - b.fromMs);
  let first = 0;
  let most = 0;
  let isOver = false;
  for (const [index, { fromMs }] of sorted.entries()) {
    while (fromMs - sorted[first]!.fromMs >= 1_000) first += 1;
    const within = index - first + 1;
    most = Math.max(most, within);
    if (within > perSecond + atOnce && !isOver)
      journal.breach('sourceLimit', `${within} within a second, at ${fromMs.toFixed(0)} ms`);
    isOver = within > perSecond + atOnce;
  }
  journal.count('requests to the source', 'at most in a second', most);
  let open: SourceRequest[] = [];
  let mostOpen = 0;
  for (const request of sorted) {
    open = [...open.filter(({ toMs }) => toMs - lateMs > request.fromMs), request];
    mostOpen = Math.max(mostOpen, open.length);
    if (open.length > atOnce)
      journal.breach('sourceLimit', `${open.length} at once, at ${request.fromMs.toFixed(0)} ms`);
  }
  journal.count('requests to the source', 'at most at once', mostOpen);
}

/** The first state that has the value: changes of one instant arrived together. */
function stateOf({ changes }: SourceRecords, value: number): number {
  let state = value;
  while (state > 0 && changes[state]?.at === changes[value - 1]?.at) state += 1;
  return state;
}

/** Records that are in only one of the two, or differ. */
function unlike(found: SourceState, wanted: SourceState): Pick<SourceRecord, 'id'>[] {
  const ids = new Set([...found.keys(), ...wanted.keys()]);
  return [...ids].filter((id) => !isSame(found.get(id), wanted.get(id))).map((id) => found.get(id) ?? { id });
}

function isSame(a: SourceRecord | undefined, b: SourceRecord | undefined): boolean {
  return a !== undefined && a.id === b?.id && a.at === b.at && a.value === b.value;
}

function listed(records: readonly Pick<SourceRecord, 'id'>[]): string {
  return `${records.length} records, such as ${JSON.stringify(records.slice(0, 3))}`;
}
