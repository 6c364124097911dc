import { expect, test } from 'vitest';
import { compareFires, type SeenFire, type SeenSchedules } from './compare-fires.ts';
import { createJournal, invariants } from './journal.ts';
import { type KnownSchedule, type Schedules, stateAt } from './schedules.ts';
import type { Data } from './talks.ts';

const minuteMs = 60_000;
const startMs = Date.parse('2026-11-22T18:00:00Z');
const at = (minutes: number) => startMs + minutes * minuteMs;
const iso = (ms: number) => new Date(ms).toISOString();

const scheduleOf = (more: Partial<KnownSchedule> = {}): KnownSchedule => ({
  name: 'asked',
  id: 'sch_asked',
  everyMs: undefined,
  folders: ['fires/asked/0'],
  recipient: 'asked@fires.example',
  changes: [{ to: 'active', askedMs: at(0), knownMs: at(0) + 1 }],
  ...more,
});

const fireRow = (id: string, atMs: number, more: Data = {}): Data => ({
  id,
  localTime: iso(atMs).slice(0, 19),
  scheduledFor: iso(atMs),
  firedAt: iso(atMs),
  status: 'succeeded',
  reason: null,
  runId: `run of ${id}`,
  ...more,
});

/** A triggered fire with its complete output. */
function whole(id: string) {
  const fileOf = (ending: string) => ({
    id: `${id} ${ending}`,
    path: `fires/asked/0/${id}.${ending}`,
    version: 1,
  });
  const files = ['md', 'pdf', 'docx'].map(fileOf);
  const deliveries: Data[] = [
    ...files.map((file) => ({
      id: `dlv ${file.id}`,
      kind: 'file',
      target: file.path,
      status: 'delivered',
      receipt: file.id,
    })),
    { id: `dlv_${id}`, kind: 'email', target: 'asked@fires.example', status: 'delivered', attempts: 1 },
  ];
  const run: Data = {
    id: `run of ${id}`,
    status: 'succeeded',
    trigger: { type: 'schedule', id: 'sch_asked' },
    output: { reportId: `report of ${id}` },
  };
  return {
    fire: { row: fireRow(id, at(0) + 7_123), deliveries } satisfies SeenFire,
    run,
    report: { id: `report of ${id}` } as Data,
    files: files as Data[],
    messageId: `dlv_${id}@example.com`,
  };
}

function breachesOf(schedules: Partial<Schedules>, seen: Partial<SeenSchedules>) {
  const journal = createJournal(() => {});
  compareFires(
    journal,
    { known: [], triggers: [], outages: [], ...schedules },
    { fires: new Map(), runs: [], reports: [], files: [], messageIds: [], ...seen },
  );
  const names = Object.keys(invariants) as (keyof typeof invariants)[];
  return Object.fromEntries(
    names.flatMap((name) => {
      const count = journal.breaches(name).length;
      return count === 0 ? [] : [[name, count]];
    }),
  );
}

/** Breaches of one trigger, after `change` was applied. */
function breachesOfTrigger(change: (one: ReturnType<typeof whole>, seen: { messageIds: string[] }) => void) {
  const one = whole('srn_1');
  const seen = { messageIds: [one.messageId] };
  change(one, seen);
  return breachesOf(
    {
      known: [scheduleOf()],
      triggers: [{ name: '1', scheduleId: 'sch_asked', fireId: 'srn_1' }],
    },
    {
      fires: new Map([['sch_asked', [one.fire]]]),
      runs: [one.run],
      reports: [one.report],
      files: one.files,
      ...seen,
    },
  );
}

test('an acknowledged trigger is there once, with its run, its report, its files and its mail', () => {
  expect(breachesOfTrigger(() => {})).toEqual({});
  expect(breachesOfTrigger(({ fire }) => Object.assign(fire.row, { id: 'srn_2' }))).toEqual({
    fireLost: 1,
    fireDoubled: 1,
  });
  expect(breachesOfTrigger(({ run }) => Object.assign(run, { output: null }))).toEqual({ fireOutput: 2 });
  expect(breachesOfTrigger(({ files }) => void files.pop())).toEqual({ fireOutput: 1 });
  expect(breachesOfTrigger(({ files }) => void files.push({ ...files[0], id: 'other' }))).toEqual({
    fireOutput: 1,
  });
  expect(breachesOfTrigger(({ files }) => Object.assign(files[0], { version: 2 }))).toEqual({
    fireOutput: 1,
  });
  expect(breachesOfTrigger(({ fire }) => void fire.deliveries.pop())).toEqual({ fireOutput: 1, mail: 1 });
});

test('a fire ends as its run and its deliveries did', () => {
  expect(breachesOfTrigger(({ fire }) => Object.assign(fire.row, { status: 'failed' }))).toEqual({
    fireEnd: 1,
  });
  expect(
    breachesOfTrigger(({ fire }) => {
      fire.row.status = 'failed';
      fire.deliveries.at(-1)!.status = 'uncertain';
    }),
  ).toEqual({});
  expect(
    breachesOfTrigger(({ fire }) => Object.assign(fire.deliveries.at(-1)!, { status: 'uncertain' })),
  ).toEqual({
    fireEnd: 1,
  });
  expect(
    breachesOfTrigger(({ fire }) => Object.assign(fire.row, { status: 'skipped', runId: null })),
  ).toMatchObject({ fireEnd: 1 });
});

test('a mail is where its delivery says', () => {
  const withMail = (status: string, count: number) =>
    breachesOfTrigger(({ fire, messageId }, seen) => {
      fire.deliveries.at(-1)!.status = status;
      fire.row.status = status === 'delivered' ? 'succeeded' : 'failed';
      seen.messageIds = Array.from({ length: count }, () => messageId);
    });
  const mailCounts = (status: string) => [0, 1, 2].map((count) => withMail(status, count)['mail'] ?? 0);
  expect(mailCounts('delivered')).toEqual([1, 0, 1]);
  expect(mailCounts('failed')).toEqual([0, 1, 1]);
  expect(mailCounts('uncertain')).toEqual([0, 0, 1]);
  expect(mailCounts('pending')).toEqual([1, 1, 1]);
  expect(breachesOfTrigger((_one, { messageIds }) => void messageIds.push('dlv_2@example.com'))).toEqual({
    mail: 1,
  });
});

/** Breaches of a cadence of one minute, from 18:00 until its pause after 18:04. */
function breachesOfCadence(rows: readonly Data[], outages: Schedules['outages'] = []) {
  const known = scheduleOf({
    everyMs: minuteMs,
    recipient: undefined,
    folders: [],
    changes: [
      { to: 'active', askedMs: at(0) + 1, knownMs: at(0) + 2_000 },
      { to: 'paused', askedMs: at(4) + 20_000, knownMs: at(4) + 21_000 },
    ],
  });
  const runs = rows.flatMap(({ runId }) =>
    runId === null
      ? []
      : [
          {
            id: runId,
            status: 'failed',
            error: { code: 'internal_error' },
            trigger: { type: 'schedule', id: known.id },
          },
        ],
  );
  const fires = new Map([[known.id, rows.map((row) => ({ row, deliveries: [] }))]]);
  return breachesOf({ known: [known], outages }, { fires, runs });
}

const unfired = (minute: number, status: string, reason: string) =>
  fireRow(`srn_${minute}`, at(minute), { status, reason, firedAt: null, runId: null });
const fired = (minute: number) =>
  fireRow(`srn_${minute}`, at(minute), { firedAt: iso(at(minute) + 40), status: 'failed' });

test('every time of a cadence is there once', () => {
  const rows = [1, 2, 3, 4].map(fired);
  expect(breachesOfCadence(rows)).toEqual({});
  expect(breachesOfCadence(rows.slice(1))).toEqual({ fireLost: 1 });
  expect(breachesOfCadence([...rows, { ...fired(4), id: 'srn_other', runId: 'run_other' }])).toEqual({
    fireDoubled: 1,
  });
  expect(breachesOfCadence([...rows, fired(6)])).toEqual({ fireDoubled: 1 });
});

test('a time is missed where something was down, and skipped where a fire was under way', () => {
  const skipped = unfired(2, 'skipped', 'The run of 2026-11-22T18:01:00 was still running.');
  expect(breachesOfCadence([fired(1), skipped, fired(3), fired(4)])).toEqual({});
  const ofNone = unfired(3, 'skipped', 'The run of 2026-11-22T18:02:00 was still running.');
  expect(breachesOfCadence([fired(1), skipped, ofNone, fired(4)])).toEqual({ fireMissed: 1 });
  const missed = unfired(1, 'missed', 'The service was not there to fire it.');
  const rows = [missed, fired(2), fired(3), fired(4)];
  expect(breachesOfCadence(rows)).toEqual({ fireMissed: 1 });
  expect(breachesOfCadence(rows, [{ fromMs: at(1) + 1_000, toMs: at(2) }])).toEqual({});
  expect(breachesOfCadence(rows, [{ fromMs: at(3), toMs: at(4) }])).toEqual({ fireMissed: 1 });
});

test('what was asked and not answered yet may be so or not', () => {
  const changes = [
    { to: 'active', askedMs: 10, knownMs: 20 },
    { to: 'paused', askedMs: 30, knownMs: Number.POSITIVE_INFINITY },
    { to: 'active', askedMs: 50, knownMs: 60 },
  ] as const;
  expect([5, 15, 25, 35, 55, 65].map((ms) => stateAt(changes, ms))).toEqual([
    undefined,
    undefined,
    'active',
    undefined,
    undefined,
    'active',
  ]);
});
