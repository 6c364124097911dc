import { createRandom } from '../random.ts';
import type { KnownSchedule, ScheduleChange, Trigger } from '../schedules.ts';
import type { Lane, LoadContext } from './context.ts';
import { pauseBetween } from './rows-lanes.ts';
import { scheduleBody } from './schedules.ts';

/** Triggers schedules, some twice with the same key, and rewrites them. */
export function triggerLane(context: LoadContext, seed: number, lane: number): Lane {
  const random = createRandom(seed, `triggers ${lane}`);
  const { known } = context.schedules;
  const written = known.filter(({ everyMs }) => everyMs === undefined);
  let count = 0;
  return {
    name: `triggers ${lane}`,
    async step() {
      count += 1;
      // A triggered fire prevents a cadence's next one, so most triggers are for schedules without a cadence.
      const schedule = random.pick(random.chance(0.85) ? written : known);
      const action = random.int(1, 10);
      const isRepeated = random.chance(0.2);
      const pauseMs = random.int(2_000, 5_000);
      if (action <= 2 && schedule.everyMs === undefined) {
        await rewrite(context, schedule, `${lane}-${count}`);
      } else {
        const trigger: Trigger = { name: `${lane}-${count}`, scheduleId: schedule.id, fireId: undefined };
        context.schedules.triggers.push(trigger);
        await ask(context, trigger);
        if (isRepeated && trigger.fireId !== undefined) await ask(context, trigger);
      }
      await pauseBetween(context, pauseMs);
    },
  };
}

/** Pauses schedules that fire every minute, and resumes them. */
export function pauseLane(context: LoadContext, seed: number, lane: number): Lane {
  const random = createRandom(seed, `pauses ${lane}`);
  const paced = context.schedules.known.filter(({ everyMs }) => everyMs !== undefined);
  let count = 0;
  return {
    name: `pauses ${lane}`,
    async step() {
      count += 1;
      const schedule = random.pick(paced);
      // Active most of the time, because fires are what is tested.
      await pauseBetween(context, random.int(8_000, 20_000));
      await change(context, schedule, 'paused', `${lane}-${count}`);
      await pauseBetween(context, random.int(500, 8_000));
      await change(context, schedule, 'active', `${lane}-${count}`);
    },
  };
}

async function ask({ client, journal, moments }: LoadContext, trigger: Trigger): Promise<void> {
  moments.comes('firing');
  const settled = await client.settle({
    kind: 'trigger',
    method: 'POST',
    path: `/v1/schedules/${trigger.scheduleId}/trigger`,
    idempotencyKey: `trigger-${trigger.name}`,
  });
  if (settled.outcome === 'refused')
    journal.breach('unexpected', `trigger ${trigger.name}: ${JSON.stringify(settled.answer)}`);
  if (settled.outcome !== 'acknowledged') return;
  const id = String(settled.answer.body.data?.['id']);
  if (trigger.fireId !== undefined && trigger.fireId !== id)
    journal.breach('fireDoubled', `trigger ${trigger.name} is ${trigger.fireId} and ${id}`);
  trigger.fireId = id;
}

/** Requests a change with its own key: a delayed earlier attempt must not undo later changes. */
export async function change(
  { client, journal }: Pick<LoadContext, 'client' | 'journal'>,
  schedule: KnownSchedule,
  to: ScheduleChange['to'],
  name: string,
): Promise<void> {
  const asked: ScheduleChange = { to, askedMs: Date.now(), knownMs: Number.POSITIVE_INFINITY };
  schedule.changes.push(asked);
  const action = to === 'paused' ? 'pause' : 'resume';
  const settled = await client.settle({
    kind: action,
    method: 'POST',
    path: `/v1/schedules/${schedule.id}/${action}`,
    idempotencyKey: `${action}-${name}`,
  });
  if (settled.outcome === 'refused')
    journal.breach('unexpected', `${action} of ${schedule.name}: ${JSON.stringify(settled.answer)}`);
  if (settled.outcome === 'acknowledged') asked.knownMs = Date.now();
}

async function rewrite(
  { client, journal, schedules }: LoadContext,
  schedule: KnownSchedule,
  name: string,
): Promise<void> {
  const isDelivered = schedule.recipient !== undefined;
  const body = scheduleBody(schedules, schedule.name, schedule.folders.length, isDelivered);
  // From here on output may go to that folder.
  if (body.config.output_folder !== undefined) schedule.folders.push(body.config.output_folder);
  const settled = await client.settle({
    kind: 'schedule rewrite',
    method: 'PUT',
    path: `/v1/schedules/${schedule.id}`,
    body,
    idempotencyKey: `rewrite-${name}`,
  });
  if (settled.outcome === 'refused')
    journal.breach('unexpected', `PUT of ${schedule.name}: ${JSON.stringify(settled.answer)}`);
}
