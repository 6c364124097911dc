import type { components } from '../../../clients/typescript/src/index.ts';
import { parametersOf, replaced } from './placeholders.ts';

export type ParameterType = components['schemas']['ParameterType'];

type Scalar = string | number | boolean;
type Value = Scalar | Scalar[];

export interface Parameter {
  type: ParameterType;
  /** A value of the type; null means that one must be given. */
  default: unknown;
  /** A SELECT of the values to choose from. */
  choices_sql?: string;
}
export type Parameters = Readonly<Record<string, Parameter>>;

/** What was typed, by parameter or filter. */
export type Typed = Readonly<Record<string, string>>;

const isNumber = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text));

/** A value as its field has it. */
export const textOf = (value: unknown): string =>
  value === null || value === undefined
    ? ''
    : Array.isArray(value)
      ? value.map(String).join(', ')
      : String(value);

/** What was typed as a value for the service; undefined if nothing was. What is not of the type is told by the service. */
export function typedValue(
  { type, default: given }: Pick<Parameter, 'type' | 'default'>,
  text: string,
): Value | undefined {
  if (text.trim() === '') return undefined;
  if (type === 'number') return isNumber(text) ? Number(text) : text;
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (type !== 'list') return text;
  const items = text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  const ofNumbers =
    Array.isArray(given) && given.length > 0 && given.every((item) => typeof item === 'number');
  return ofNumbers && items.every(isNumber) ? items.map(Number) : items;
}

/** Those that were typed, by name. */
export const typedValues = (
  expected: Readonly<Record<string, Pick<Parameter, 'type' | 'default'>>>,
  typed: Typed,
): Record<string, Value> =>
  Object.fromEntries(
    Object.entries(expected).flatMap(([name, parameter]) => {
      const value = typedValue(parameter, typed[name] ?? '');
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** The parameters that a statement has now: those that are known, and new ones as texts. */
export const parametersNow = (sql: string, known: Parameters): Record<string, Parameter> =>
  Object.fromEntries(
    parametersOf(sql).map((name) => [name, known[name] ?? { type: 'string' as const, default: null }]),
  );

/** The parameters that have no value: none was typed, and there is none by default. */
export const missing = (parameters: Parameters, typed: Typed): string[] =>
  Object.entries(parameters).flatMap(([name, parameter]) =>
    parameter.default === null && typedValue(parameter, typed[name] ?? '') === undefined ? [name] : [],
  );

/** The statement with its values written as literals, for whatever takes statements without parameters. */
export const withValues = (sql: string, parameters: Parameters, typed: Typed): string =>
  replaced(sql, (name) => {
    const parameter = parameters[name] ?? { type: 'string', default: null };
    const value = typedValue(parameter, typed[name] ?? '') ?? (parameter.default as Value | null);
    return literal(parameter.type, value);
  });

function literal(type: ParameterType, value: Value | null): string {
  if (value === null) return 'NULL';
  if (Array.isArray(value))
    return value.length === 0
      ? '(SELECT NULL WHERE false)'
      : `(${value.map((item) => literal('string', item)).join(', ')})`;
  if (typeof value !== 'string') return String(value);
  const text = `'${value.replaceAll("'", "''")}'`;
  if (type === 'date') return `CAST(${text} AS DATE)`;
  return type === 'number' ? `CAST(${text} AS DOUBLE)` : text;
}
