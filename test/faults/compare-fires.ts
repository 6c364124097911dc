import { compareCadence } from './compare-cadence.ts';
import type { Journal } from './journal.ts';
import { explained } from './runs.ts';
import type { KnownSchedule, Schedules } from './schedules.ts';
import type { Data } from './talks.ts';

/** A fire as the API shows it, with its deliveries. */
export interface SeenFire {
  row: Data;
  deliveries: Data[];
}

/** The complete state once nothing is in progress. */
export interface SeenSchedules {
  /** By schedule id. */
  fires: ReadonlyMap<string, readonly SeenFire[]>;
  /** Only those of the schedules' project. */
  runs: readonly Data[];
  reports: readonly Data[];
  files: readonly Data[];
  /** The Message-ID of every mail that the server has. */
  messageIds: readonly string[];
}

const ends = ['succeeded', 'failed', 'cancelled'];
/** A report is written to its folder in three formats. */
const filesEach = 3;

type ExpectedSchedules = Pick<Schedules, 'known' | 'triggers' | 'outages'>;

/** Compares the state with the answers to clients and with the cadences, and each thing with its origin. */
export function compareFires(journal: Journal, schedules: ExpectedSchedules, seen: SeenSchedules): void {
  compareTriggers(journal, schedules, seen);
  for (const schedule of schedules.known) {
    const fires = seen.fires.get(schedule.id) ?? [];
    compareCadence(
      journal,
      schedule,
      fires.map(({ row }) => row),
      schedules.outages,
    );
    for (const fire of fires) compareFire(journal, schedule, fire, seen);
  }
  const all = [...seen.fires.values()].flat();
  compareOutput(journal, all, seen);
  compareMails(journal, all, seen);
}

function compareTriggers(
  journal: Journal,
  { triggers, known }: ExpectedSchedules,
  { fires }: SeenSchedules,
): void {
  const asked = new Map<string, string>();
  for (const { name, scheduleId, fireId } of triggers) {
    if (fireId === undefined) continue;
    const there = (fires.get(scheduleId) ?? []).filter(({ row }) => row.id === fireId);
    if (there.length === 0) journal.breach('fireLost', `trigger ${name}: ${fireId} of ${scheduleId}`);
    if (there.length > 1 || asked.has(fireId))
      journal.breach(
        'fireDoubled',
        `trigger ${name}: ${fireId}, ${there.length} times, ${asked.get(fireId)}`,
      );
    asked.set(fireId, name);
  }
  // A fire that no client knows of is valid if the answer to its trigger was lost, up to the number of such
  // triggers.
  for (const { id, name, everyMs } of known) {
    if (everyMs !== undefined) continue;
    const open = triggers.filter((one) => one.scheduleId === id && one.fireId === undefined).length;
    const own = (fires.get(id) ?? []).filter(({ row }) => !asked.has(row.id));
    if (own.length > open)
      journal.breach(
        'fireDoubled',
        `${name} fired ${own.length} times unasked: ${own.map(({ row }) => row.id)}`,
      );
  }
}

function compareFire(
  journal: Journal,
  schedule: KnownSchedule,
  { row, deliveries }: SeenFire,
  { runs }: SeenSchedules,
): void {
  const label = `${schedule.name}, ${row.id} of ${row.localTime}: ${row.status} (${row.reason})`;
  journal.count('fires', row.status);
  if (!ends.includes(row.status)) {
    if (row.runId !== null || deliveries.length > 0)
      journal.breach('fireEnd', `${label}, and it has ${row.runId} and ${deliveries.length} deliveries`);
    return;
  }
  const own = runs.filter(({ id }) => id === row.runId);
  const [run] = own;
  if (run === undefined || own.length > 1) {
    // A fire that could not be started has no run.
    if (row.status !== 'failed' || row.runId !== null)
      journal.breach('fireOutput', `${label}: ${own.length} runs ${row.runId}`);
    return;
  }
  if (run.trigger?.type !== 'schedule' || run.trigger.id !== schedule.id)
    journal.breach('fireOutput', `${label}: its run is of ${JSON.stringify(run.trigger)}`);
  const open = deliveries.filter(({ status }) => status !== 'delivered');
  const wanted = run.status === 'succeeded' && open.length > 0 ? 'failed' : run.status;
  if (row.status !== wanted)
    journal.breach('fireEnd', `${label}: its run ${run.status}, and ${JSON.stringify(open)}`);
  if (run.status === 'cancelled' || (run.status === 'failed' && !isExplained(run.error)))
    journal.breach('runEnd', `${label}: its run ${run.status} (${JSON.stringify(run.error)})`);
  comparePlanned(journal, schedule, label, run, deliveries);
}

/**
 * The offline analyst gives the cause in its message if one of its own statements could not be run, which may
 * take longer than it is given while parts of the stack are away.
 */
function isExplained(error: Data): boolean {
  return (
    explained.includes(error?.code) ||
    (error?.code === 'question_asked' &&
      [...explained, 'queries_saturated', 'query_timeout'].some((code) => error.message.includes(code)))
  );
}

/** The deliveries are those of the schedule, into one of its folders. */
function comparePlanned(
  journal: Journal,
  { folders, recipient }: KnownSchedule,
  label: string,
  run: Data,
  deliveries: readonly Data[],
): void {
  const isDelivered = run.status === 'succeeded' && recipient !== undefined;
  const files = deliveries.filter(({ kind }) => kind === 'file');
  const mails = deliveries.filter(({ kind }) => kind === 'email');
  const used = new Set(files.map(({ target }) => folders.find((folder) => target.startsWith(`${folder}/`))));
  const isRight = isDelivered
    ? files.length === filesEach && used.size === 1 && !used.has(undefined) && mails.length === 1
    : deliveries.length === 0;
  if (!isRight || mails.some(({ target }) => target !== recipient))
    journal.breach('fireOutput', `${label}: ${JSON.stringify(deliveries.map(({ target }) => target))}`);
}

/** Each successful run has one report, and each file was a delivery. */
function compareOutput(journal: Journal, fires: readonly SeenFire[], seen: SeenSchedules): void {
  const { runs, reports, files } = seen;
  const runIds = new Set(fires.map(({ row }) => row.runId));
  for (const { id, status, output } of runs) {
    if (!runIds.has(id)) journal.breach('fireOutput', `${id} is the run of no fire`);
    const made = reports.filter((report) => report.id === output?.reportId);
    if (made.length !== (status === 'succeeded' ? 1 : 0))
      journal.breach('fireOutput', `${id}: ${status}, with ${made.length} reports ${output?.reportId}`);
  }
  const madeIds = runs.map(({ output }) => output?.reportId).filter((id) => id !== undefined);
  if (new Set(madeIds).size < madeIds.length)
    journal.breach('fireOutput', `several runs name one report: ${madeIds}`);
  for (const { id } of reports)
    if (!madeIds.includes(id)) journal.breach('fireOutput', `${id} is the report of no run`);

  const delivered = fires.flatMap(({ deliveries }) => deliveries.filter(({ kind }) => kind === 'file'));
  const byId = new Map(files.map((file) => [file.id, file]));
  for (const { id, target, status, receipt } of delivered) {
    const there = files.filter(({ path }) => path === target);
    const isRight =
      status === 'delivered'
        ? there.length === 1 && there[0].version === 1 && byId.get(receipt) === there[0]
        : there.length === 0;
    if (!isRight) journal.breach('fireOutput', `${id} to ${target}: ${status}, and ${JSON.stringify(there)}`);
    journal.count('deliveries', `file ${status}`);
  }
  const targets = new Set(delivered.map(({ target }) => target));
  if (targets.size < delivered.length)
    journal.breach('fireOutput', `${delivered.length} files to ${targets.size} places`);
  for (const { id, path } of files)
    if (!targets.has(path)) journal.breach('fireOutput', `${id} at ${path} was delivered by nothing`);
}

function compareMails(journal: Journal, fires: readonly SeenFire[], { messageIds }: SeenSchedules): void {
  const mails = fires.flatMap(({ deliveries }) => deliveries.filter(({ kind }) => kind === 'email'));
  const idOf = (messageId: string) => messageId.slice(0, messageId.indexOf('@'));
  const counts = new Map<string, number>();
  for (const messageId of messageIds) counts.set(idOf(messageId), (counts.get(idOf(messageId)) ?? 0) + 1);
  for (const { id, status, error, attempts } of mails) {
    const there = counts.get(id) ?? 0;
    const isRight =
      status === 'delivered'
        ? there === 1
        : status === 'failed'
          ? there === 0
          : status === 'uncertain' && there <= 1;
    const label = `${id}: ${status} after ${attempts} attempts, and the server has ${there}`;
    if (!isRight) journal.breach('mail', `${label} (${JSON.stringify(error)})`);
    journal.count('deliveries', status === 'uncertain' ? `mail uncertain, ${there} there` : `mail ${status}`);
    if (attempts > 1) journal.count('deliveries', 'mail attempted more than once');
    counts.delete(id);
  }
  for (const [id, there] of counts) journal.breach('mail', `${there} of ${id}, of which no delivery knows`);
}
