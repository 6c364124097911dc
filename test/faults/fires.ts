import { setTimeout as delay } from 'node:timers/promises';
import { compareFires, type SeenFire } from './compare-fires.ts';
import { listAll } from './list-all.ts';
import type { LoadContext } from './load/context.ts';
import { change } from './load/schedule-lanes.ts';
import type { FaultMailServer } from './mail-server.ts';
import type { KnownSchedule } from './schedules.ts';
import type { Data } from './talks.ts';

/** A repeatedly refused mail waits for a quarter of an hour. */
const quietTimeoutMs = 1_200_000;

/**
 * Deliveries that are `notTheirs` sent mails too. Pauses every schedule, waits until no fire or delivery is
 * in progress, and compares.
 */
export async function finishSchedules(
  context: LoadContext,
  mailServer: FaultMailServer,
  notTheirs: ReadonlySet<string>,
  report: (line: string) => void,
): Promise<void> {
  const { journal, schedules } = context;
  for (const schedule of schedules.known) await change(context, schedule, 'paused', `end-${schedule.name}`);
  const startMs = Date.now();
  const fires = new Map<string, SeenFire[]>();
  for (const schedule of schedules.known) {
    const rows = await endedFires(context, schedule, startMs + quietTimeoutMs);
    fires.set(schedule.id, await Promise.all(rows.map((row) => withDeliveries(context, schedule, row))));
  }
  report(`  schedules came to rest in ${((Date.now() - startMs) / 1_000).toFixed(1)} s`);
  const project = `/v1/projects/${schedules.projectId}`;
  const [runs, reports, files] = await Promise.all(
    ['runs', 'reports', 'files'].map((kind) => listAll(context, `${project}/${kind}`)),
  );
  compareFires(journal, schedules, {
    fires,
    runs: runs!,
    reports: reports!,
    files: files!,
    messageIds: mailServer.messageIds().filter((id) => !notTheirs.has(id.slice(0, id.indexOf('@')))),
  });
}

/** Every fire of a paused schedule, once none is in progress. */
async function endedFires(
  context: LoadContext,
  schedule: KnownSchedule,
  deadlineMs: number,
): Promise<Data[]> {
  for (;;) {
    const rows = await listAll(context, `/v1/schedules/${schedule.id}/runs`);
    const running = rows.filter(({ status }) => status === 'running');
    if (running.length === 0 || context.signal.aborted) return rows;
    if (Date.now() > deadlineMs) {
      for (const { id, localTime } of running)
        context.journal.breach('fireStuck', `${schedule.name}, ${id} of ${localTime}`);
      return rows;
    }
    await delay(1_000, undefined, { signal: context.signal }).catch(() => {});
  }
}

async function withDeliveries(context: LoadContext, { id }: KnownSchedule, row: Data): Promise<SeenFire> {
  return { row, deliveries: await listAll(context, `/v1/schedules/${id}/runs/${row.id}/deliveries`) };
}
