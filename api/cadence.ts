import { z } from 'zod';
import {
  type CadenceCheck,
  type CadenceFields,
  type CadenceView,
  cadenceFields,
  checkDatasetCadence,
  checkWrittenCadence,
  type DatasetCadence,
  datasetMinutes,
  legacyTypes,
  weekdays,
  writableTypes,
} from '../packages/cadences/index.ts';
import { isMap, notMap } from './free-form.ts';

const snakeOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const fieldNames = ['type', 'zoneId', ...cadenceFields] as const;
const camelByName = new Map(
  fieldNames.flatMap((name) => [
    [name as string, name],
    [snakeOf(name), name],
  ]),
);

const nullable = (schema: object) => ({ anyOf: [schema, { type: 'null' }] });
const text = (description: string, pattern: string) => nullable({ type: 'string', description, pattern });
const day = '^[0-9]{4}-[0-9]{2}-[0-9]{2}$';

interface CadenceDocument {
  description: string;
  types: readonly string[];
  required: readonly string[];
  /** JSON Schema of `every_minutes`. */
  every: object;
  example: object;
}

/**
 * A cadence in a request, in snake_case or in the camelCase of answers. The rules are those of the domain; a
 * fault names the field as it was sent.
 */
function cadenceForm<C extends DatasetCadence>(
  check: (fields: CadenceFields) => CadenceCheck<C>,
  { description, types, required, every, example }: CadenceDocument,
) {
  return z
    .custom<Record<string, unknown>>(isMap, { ...notMap, abort: true })
    .meta({
      type: 'object',
      description: `${description} \`weekly\` needs \`days_of_week\`, \`monthly\` needs \`day_of_month\`, and \`one_time\` needs \`run_date\`. The camelCase names of responses are accepted too.`,
      properties: {
        type: { type: 'string', enum: [...types] },
        zone_id: { type: 'string', description: 'The name of a time zone in the tz database.' },
        time_of_day: text('The time of day, HH:MM or HH:MM:SS.', '^[0-9]{2}:[0-9]{2}(:[0-9]{2})?$'),
        run_date: text('The day of a `one_time` schedule, YYYY-MM-DD.', day),
        days_of_week: nullable({ type: 'array', items: { type: 'string', enum: [...weekdays] } }),
        day_of_month: nullable({
          type: 'integer',
          minimum: 1,
          maximum: 31,
          description: 'The day of the month. In a shorter month it is the last day.',
        }),
        anchor_date: text('The first possible day, YYYY-MM-DD. Nothing runs before it.', day),
        interval: nullable({
          type: 'integer',
          description:
            'The number of periods between runs. It must be 1 in a new schedule. Other intervals are kept if they are already stored.',
        }),
        cron_expression: { type: 'null', description: 'Read-only.' },
        every_minutes: every,
      },
      propertyNames: { enum: [...camelByName.keys()] },
      required: [...required],
      examples: [example],
    })
    .transform((given, context): C => {
      const sent = new Map<string, string>();
      const fields: [string, unknown][] = [];
      for (const [name, value] of Object.entries(given)) {
        const own = camelByName.get(name) ?? name;
        if (sent.has(own)) {
          const message = `The same field was also sent as ${sent.get(own)}. Send only one of them.`;
          context.issues.push({ ...fault([name], 'value_error', message), input: value });
          continue;
        }
        sent.set(own, name);
        fields.push([own, value]);
      }
      const checked = check(Object.fromEntries(fields));
      if ('cadence' in checked) return checked.cadence;
      for (const { path, type, msg } of checked.faults) {
        const [first, ...rest] = path;
        const name = sent.get(String(first)) ?? snakeOf(String(first));
        context.issues.push({ ...fault([name, ...rest], type, msg), input: given });
      }
      return z.NEVER;
    });
}

const daily = { type: 'daily', zone_id: 'Europe/Berlin', time_of_day: '08:00' };

export const cadenceBody = cadenceForm(checkWrittenCadence, {
  description: 'When the schedule runs, in the time of its zone.',
  types: writableTypes,
  required: ['type', 'zone_id'],
  every: { type: 'null', description: 'Read-only.' },
  example: daily,
});

/** The same for a dataset, which also allows intervals in minutes. */
export const datasetCadenceBody = cadenceForm(checkDatasetCadence, {
  description:
    'When snapshots are taken: at a time of its zone, or every `every_minutes` with `type: interval`, which needs no other field.',
  types: [...writableTypes, 'interval'],
  required: ['type'],
  every: nullable({
    type: 'integer',
    minimum: datasetMinutes.min,
    maximum: datasetMinutes.max,
    description: 'The minutes between snapshots, for `type: interval`.',
  }),
  example: { type: 'interval', every_minutes: 15 },
});

const fault = (path: (string | number)[], type: string, message: string) => ({
  code: 'custom' as const,
  path,
  message,
  params: { type },
});

export const cadenceSchema = z
  .object({
    type: z.enum([...writableTypes, ...legacyTypes]),
    zoneId: z.string(),
    cronExpression: z.string().nullable(),
    everyMinutes: z.int().nullable(),
    timeOfDay: z.string().nullable(),
    runDate: z.string().nullable(),
    anchorDate: z.string().nullable(),
    daysOfWeek: z.array(z.enum(weekdays)).readonly().nullable(),
    dayOfMonth: z.int().nullable(),
    interval: z.int().nullable(),
  })
  .meta({ id: 'WorkflowSchedule' });

export const cadenceExample: CadenceView = {
  type: 'daily',
  zoneId: 'Europe/Berlin',
  cronExpression: null,
  everyMinutes: null,
  timeOfDay: '08:00',
  runDate: null,
  anchorDate: null,
  daysOfWeek: null,
  dayOfMonth: null,
  interval: null,
};
