import type { components } from '../../../clients/typescript/src/index.ts';

/** Parameters of a playbook or a graph, by their names. */
export type Parameters = components['schemas']['Playbook']['parameters'];
export type Parameter = Parameters[string];
export type ParameterType = Parameter['type'];

/** A parameter as it is edited; its key stays while its name changes. */
export interface ParameterRow extends Omit<Parameter, 'default'> {
  key: number;
  name: string;
  default: string;
}

export const textOfValue = (value: unknown): string =>
  value === null || value === undefined ? '' : String(value);

/** The value that a text stands for. What isn't a number stays a text, of which the service says so. */
export function typedValue(type: ParameterType, text: string): string | number | boolean | null {
  if (text === '') return null;
  if (type === 'boolean') return text === 'true';
  if (type !== 'number') return text;
  const number = Number(text);
  return Number.isNaN(number) ? text : number;
}

export const rowsOf = (parameters: Parameters): ParameterRow[] =>
  Object.entries(parameters).map(([name, parameter], key) => ({
    ...parameter,
    ...{ key, name, default: textOfValue(parameter.default) },
  }));

export const parametersOf = (rows: readonly ParameterRow[]) =>
  Object.fromEntries(
    rows.map(({ name, type, required, description, default: text }) => [
      name,
      { type, required, description, default: typedValue(type, text) },
    ]),
  );

/** The first name that two rows have. */
export const nameTwice = (rows: readonly ParameterRow[]): string | undefined =>
  rows.find(({ name }, at) => name !== '' && rows.findIndex((row) => row.name === name) < at)?.name;

/** Values of a run by the texts of its form; what was left empty is left out. */
export const paramsOf = (parameters: Parameters, texts: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(parameters).flatMap(([name, { type }]) => {
      const value = typedValue(type, texts[name] ?? '');
      return value === null ? [] : [[name, value]];
    }),
  );
