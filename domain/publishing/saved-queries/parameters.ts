import { ValidationError, type ValidationFault } from '../../../data/errors.ts';
import { isRawNumber, type RawNumber } from '../../../data/exact-json.ts';
import { isLongerThan } from '../../../data/text.ts';
import { limits } from '../../workspace/limits/limits.ts';

export const parameterTypes = ['string', 'number', 'boolean', 'date', 'list'] as const;
export type ParameterType = (typeof parameterTypes)[number];

type Scalar = string | number | boolean | RawNumber;
export type ParameterValue = Scalar | Scalar[];

export interface Parameter {
  type: ParameterType;
  /** Null means that a value must be given. */
  default: ParameterValue | null;
  /** A SELECT of the values to choose from. */
  choices_sql?: string | undefined;
}

export type Parameters = Readonly<Record<string, Parameter>>;
/** Values by parameter. */
export type Values = ReadonlyMap<string, ParameterValue>;

const maxCharacters = 10_000;
const maxItems = limits.savedQueries.listItems.most;

type Fault = Omit<ValidationFault, 'loc'> & { at?: number };

/** Why a value doesn't have the type; undefined if it does. */
export function valueFault(type: ParameterType, value: unknown): Fault | undefined {
  if (type === 'boolean')
    return typeof value === 'boolean'
      ? undefined
      : { type: 'bool_type', msg: 'Input should be a valid boolean' };
  if (type === 'number')
    return isNumber(value) ? undefined : { type: 'float_type', msg: 'Input should be a valid number' };
  if (type === 'list') return listFault(value);
  if (typeof value !== 'string')
    return type === 'date'
      ? { type: 'date_type', msg: 'Input should be a valid date' }
      : { type: 'string_type', msg: 'Input should be a valid string' };
  if (type === 'date')
    return isDate(value)
      ? undefined
      : { type: 'date_from_datetime_parsing', msg: 'The value must be a date, written as YYYY-MM-DD.' };
  return textFault(value);
}

function listFault(value: unknown): Fault | undefined {
  if (!Array.isArray(value)) return { type: 'list_type', msg: 'Input should be a valid list' };
  if (value.length > maxItems) return { type: 'too_long', msg: `List should have at most ${maxItems} items` };
  for (const [at, item] of value.entries()) {
    const fault =
      typeof item === 'string'
        ? textFault(item)
        : isNumber(item) || typeof item === 'boolean'
          ? undefined
          : { type: 'value_error', msg: 'The value must be a text, a number, true or false.' };
    if (fault !== undefined) return { ...fault, at };
  }
  return undefined;
}

function textFault(text: string): Fault | undefined {
  if (isLongerThan(text, maxCharacters))
    return { type: 'string_too_long', msg: `String should have at most ${maxCharacters} characters` };
  if (text.includes('\u0000') || !text.isWellFormed())
    return { type: 'value_error', msg: "Text can't contain the NUL character or half of a surrogate pair." };
  return undefined;
}

export const isNumber = (value: unknown): value is number | RawNumber =>
  typeof value === 'number' || isRawNumber(value);

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** The faults of defaults, below the place of the parameters. */
export function defaultFaults(parameters: Parameters, at: readonly string[]): ValidationFault[] {
  return Object.entries(parameters).flatMap(([name, { type, default: value }]) =>
    value === null ? [] : faultsAt([...at, name, 'default'], valueFault(type, value)),
  );
}

/** What values are checked against: parameters of a query, or filters of a dashboard. */
export interface Expected {
  type: ParameterType;
  default: ParameterValue | null;
}

/**
 * The values of parameters: the given ones, else the defaults. Null is the same as no value.
 *
 * @throws ValidationError at `[...at, name]` of each that is unknown, missing or of another type
 */
export function checkValues(
  expected: ReadonlyMap<string, Expected>,
  given: Readonly<Record<string, unknown>>,
  { at, what, isRequired = true }: { at: readonly string[]; what: string; isRequired?: boolean },
): Values {
  const faults: ValidationFault[] = [];
  for (const name of Object.keys(given))
    if (!expected.has(name))
      faults.push({ loc: [...at, name], type: 'extra_forbidden', msg: unknownText(name, what, expected) });
  const values = new Map<string, ParameterValue>();
  for (const [name, { type, default: fallback }] of expected) {
    const value = (Object.hasOwn(given, name) ? given[name] : undefined) ?? fallback;
    if (value === null) {
      if (isRequired) faults.push({ loc: [...at, name], type: 'missing', msg: 'Field required' });
      continue;
    }
    const fault = valueFault(type, value);
    if (fault === undefined) values.set(name, value as ParameterValue);
    else faults.push(...faultsAt([...at, name], fault));
  }
  if (faults.length > 0) throw new ValidationError(faults);
  return values;
}

function faultsAt(loc: readonly (string | number)[], fault: Fault | undefined): ValidationFault[] {
  if (fault === undefined) return [];
  const { at, ...told } = fault;
  return [{ loc: at === undefined ? [...loc] : [...loc, at], ...told }];
}

function unknownText(name: string, what: string, expected: ReadonlyMap<string, unknown>): string {
  const known = expected.size === 0 ? 'There are none' : `There are ${[...expected.keys()].join(', ')}`;
  return `There is no ${what} ${name}. ${known}.`;
}
