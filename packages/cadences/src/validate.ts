import {
  type Cadence,
  type CadenceField,
  type CadenceType,
  cadenceFields,
  type DatasetCadence,
  legacyTypes,
  type WritableCadence,
  writableTypes,
} from './cadence.ts';
import { type CadenceFault, fieldChecks } from './fields.ts';

interface KindFields {
  needs: readonly CadenceField[];
  may?: readonly CadenceField[];
}

const inPeriods = ['anchorDate', 'interval'] as const;

/** The fields of each type, besides type and zoneId. */
const kinds: Record<CadenceType, KindFields> = {
  one_time: { needs: ['runDate', 'timeOfDay'] },
  daily: { needs: ['timeOfDay'], may: inPeriods },
  weekly: { needs: ['timeOfDay', 'daysOfWeek'], may: inPeriods },
  monthly: { needs: ['timeOfDay', 'dayOfMonth'], may: inPeriods },
  cron: { needs: ['cronExpression'] },
  interval: { needs: ['everyMinutes'], may: ['anchorDate', 'timeOfDay'] },
  biweekly: { needs: ['timeOfDay'], may: ['anchorDate', 'daysOfWeek'] },
  month_end: { needs: ['timeOfDay'], may: inPeriods },
};

export type CadenceCheck<C extends Cadence> = { cadence: C } | { faults: CadenceFault[] };

/** Fields by their camelCase names. Null is equivalent to absent, so that what was read can be written. */
export type CadenceFields = Readonly<Record<string, unknown>>;

/** Checks what a caller writes: a writable type with all of its fields and no others, or every fault. */
export function checkWrittenCadence(fields: CadenceFields): CadenceCheck<WritableCadence> {
  if (isOneOf(legacyTypes, fields['type']))
    return refused(
      'enum',
      `A cadence of the type ${fields['type']} keeps firing if it is already stored, but you can't write a new one. Use one of ${writableTypes.join(', ')}.`,
    );
  return check<WritableCadence>(fields, writableTypes);
}

/**
 * Minutes between snapshots of a dataset; with a smaller interval its source would be copied without a pause.
 */
export const datasetMinutes = { min: 5, max: 1_440 } as const;

const datasetTypes = [...writableTypes, 'interval'] as const;

/** Checks what a caller writes for a dataset: also an interval in minutes, which needs no zone. */
export function checkDatasetCadence(fields: CadenceFields): CadenceCheck<DatasetCadence> {
  if (fields['type'] !== 'interval') return checkWrittenCadence(fields);
  const checked = check<DatasetCadence>({ ...fields, zoneId: fields['zoneId'] ?? 'UTC' }, datasetTypes);
  const minutes = Number(fields['everyMinutes']);
  const { min, max } = datasetMinutes;
  if ('faults' in checked || (minutes >= min && minutes <= max)) return checked;
  const msg = `The interval of a dataset must be ${min} to ${max} minutes.`;
  const type = minutes < min ? 'greater_than_equal' : 'less_than_equal';
  return { faults: [{ path: ['everyMinutes'], type, msg }] };
}

/** Checks a cadence from another system or from the store, of any type. */
export function checkStoredCadence(fields: CadenceFields): CadenceCheck<Cadence> {
  return check<Cadence>(fields, [...writableTypes, ...legacyTypes]);
}

function check<C extends Cadence>(fields: CadenceFields, types: readonly C['type'][]): CadenceCheck<C> {
  const type = fields['type'] ?? undefined;
  if (type === undefined) return refused('missing', 'Field required.');
  if (!isOneOf(types, type)) return refused('enum', `Input should be one of ${types.join(', ')}.`);
  const { needs, may = [] }: KindFields = kinds[type];
  const needed = ['zoneId', ...needs] as const;
  const own = [...needed, ...may];
  const given = Object.keys(fields).filter((name) => name !== 'type' && fields[name] != null);
  const faults = [
    ...needed.filter((name) => !given.includes(name)).map((name) => missing(name, type)),
    ...own.filter((name) => given.includes(name)).flatMap((name) => fieldChecks[name](fields[name], name)),
    ...given.filter((name) => !isOneOf(own, name)).map((name) => foreign(name, type)),
  ];
  if (faults.length > 0) return { faults };
  const values = own.filter((name) => given.includes(name)).map((name) => [name, fields[name]]);
  // Each field was checked against its declaration in the type.
  return { cadence: { type, ...Object.fromEntries(values) } as C };
}

function refused(type: string, msg: string): { faults: CadenceFault[] } {
  return { faults: [{ path: ['type'], type, msg }] };
}

function missing(name: string, type: CadenceType): CadenceFault {
  return { path: [name], type: 'missing', msg: `Field required for a cadence of the type ${type}.` };
}

function foreign(name: string, type: CadenceType): CadenceFault {
  const msg = isOneOf(cadenceFields, name)
    ? `A cadence of the type ${type} doesn't have this field.`
    : 'Extra inputs are not permitted.';
  return { path: [name], type: 'extra_forbidden', msg };
}

function isOneOf<T>(values: readonly T[], value: unknown): value is T {
  return values.includes(value as T);
}
