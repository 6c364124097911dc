import { ValidationError, type ValidationFault } from '../../../data/errors.ts';
import { isRawNumber, type RawNumber } from '../../../data/exact-json.ts';
import { isLongerThan } from '../../../data/text.ts';
import type { AttachedTable } from '../../tables/catalog-entries/catalog-entries.ts';

export type Scalar = string | number | boolean | RawNumber;

export interface Parameter {
  type: 'string' | 'number' | 'boolean' | 'date' | 'table';
  required: boolean;
  default: Scalar | null;
  description: string;
}

export type Parameters = Readonly<Record<string, Parameter>>;
/** Values by parameter; an optional one without a default may be null. */
export type Params = Readonly<Record<string, unknown>>;

const maxCharacters = 1_000;
/** A reference to a parameter in instructions, titles and paths: `${name}`. */
const reference = /\$\{([A-Za-z_]\w{0,63})\}/g;

/** The parameters that a text refers to. */
export function namesIn(text: string): string[] {
  return [...new Set([...text.matchAll(reference)].map(([, name]) => name!))];
}

/**
 * The text with every parameter replaced by its value, or by nothing if it has none. Values are not expanded
 * again.
 */
export function filledIn(text: string, params: Params): string {
  return text.replace(reference, (_, name: string) => textOf(name, params));
}

/**
 * The length of the filled text, computed without building it, because each value may occur any number of
 * times.
 */
export function filledLength(text: string, params: Params): number {
  let length = text.length;
  for (const [named, name] of text.matchAll(reference)) length += textOf(name!, params).length - named.length;
  return length;
}

function textOf(name: string, params: Params): string {
  const value = Object.hasOwn(params, name) ? params[name] : undefined;
  if (value === null || value === undefined) return '';
  return isRawNumber(value) ? value.rawJSON : String(value);
}

/** A table that a parameter value may refer to. */
export type NamedTable = Pick<AttachedTable, 'id' | 'name'>;

/** Why a value does not have this type; undefined if it does. `tables` are the tables it may refer to. */
export function valueFault(
  { type }: Pick<Parameter, 'type'>,
  value: unknown,
  tables?: readonly NamedTable[],
): Omit<ValidationFault, 'loc'> | undefined {
  if (type === 'boolean')
    return typeof value === 'boolean'
      ? undefined
      : { type: 'bool_type', msg: 'The value must be a boolean.' };
  if (type === 'number')
    return typeof value === 'number' || isRawNumber(value)
      ? undefined
      : { type: 'value_error', msg: 'The value must be a number.' };
  if (typeof value !== 'string') return { type: 'string_type', msg: 'The value must be a string.' };
  if (isLongerThan(value, maxCharacters))
    return { type: 'string_too_long', msg: `The value must have at most ${maxCharacters} characters.` };
  // A value is inserted into a sentence; with line breaks it could pose as instructions.
  if (/\p{Cc}|[\u2028\u2029]/u.test(value) || !value.isWellFormed())
    return { type: 'value_error', msg: 'The value must be one line, without control characters.' };
  if (type === 'date' && !isDate(value))
    return { type: 'value_error', msg: 'The value must be a date, written as YYYY-MM-DD.' };
  if (type === 'table' && tables !== undefined && tableOf(value, tables) === undefined)
    return { type: 'value_error', msg: `No table with the name or id ${value} is attached to the project.` };
  return undefined;
}

/** Finds a table by its name, else by its id. */
function tableOf(value: unknown, tables: readonly NamedTable[]): NamedTable | undefined {
  return tables.find(({ name }) => name === value) ?? tables.find(({ id }) => id === value);
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/**
 * The values for a run: the given ones, and defaults. A table given by its id is replaced by its name, which
 * texts and statements use.
 *
 * @throws ValidationError at `[...at, name]` of each that is unknown, missing or of another type
 */
export function checkParams(
  parameters: Parameters,
  given: Params,
  { at, tables }: { at: readonly string[]; tables: readonly NamedTable[] },
): Params {
  const faults: ValidationFault[] = [];
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(parameters, name))
      faults.push({ loc: [...at, name], type: 'extra_forbidden', msg: unknownText(name, parameters) });
  }
  const params: [string, unknown][] = [];
  for (const [name, parameter] of Object.entries(parameters)) {
    const value = (Object.hasOwn(given, name) ? given[name] : undefined) ?? parameter.default;
    const table = parameter.type === 'table' ? tableOf(value, tables) : undefined;
    params.push([name, table?.name ?? value]);
    if (value === null) {
      if (parameter.required)
        faults.push({ loc: [...at, name], type: 'missing', msg: 'This parameter is required.' });
      continue;
    }
    const fault = valueFault(parameter, value, tables);
    if (fault !== undefined) faults.push({ loc: [...at, name], ...fault });
  }
  if (faults.length > 0) throw new ValidationError(faults);
  return Object.fromEntries(params);
}

function unknownText(name: string, parameters: Parameters): string {
  const names = Object.keys(parameters);
  if (names.length === 0) return `There is no parameter ${name}. The playbook has no parameters.`;
  return `There is no parameter ${name}. The parameters are ${names.join(', ')}.`;
}
