import type { components } from '../../../clients/typescript/src/index.ts';

export type ConnectionField = components['schemas']['ConnectionField'];
export type Values = Readonly<Record<string, string>>;

const holds = (condition: Readonly<Record<string, string[]>>, values: Values): boolean =>
  Object.entries(condition).every(([key, allowed]) => allowed.includes(values[key] ?? ''));

/** Fields that may be given beside these values. */
export const applying = (fields: readonly ConnectionField[], values: Values): ConnectionField[] =>
  fields.filter(({ applies_when: condition }) => condition === undefined || holds(condition, values));

export const isRequired = (
  { required, required_when: condition }: ConnectionField,
  values: Values,
): boolean => required || (condition !== undefined && holds(condition, values));

/** Of these fields what was written, each in its type; what was left empty is left out. */
export function written(fields: readonly ConnectionField[], values: Values): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap(({ key, type }): [string, unknown][] => {
      const text = values[key] ?? '';
      if (text === '') return [];
      if (type === 'boolean') return [[key, text === 'true']];
      // What isn't a number is sent as it is: the service says what is wrong with it.
      const number = Number(text);
      return [[key, type === 'integer' && Number.isInteger(number) ? number : text]];
    }),
  );
}

/** A config as it is now, with a null for each member that it had and has no more: it is merged into the stored one. */
export function changedConfig(
  fields: readonly ConnectionField[],
  values: Values,
  stored: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const now = written(applying(fields, values), values);
  const gone = fields.filter(({ key }) => stored[key] != null && !(key in now));
  return { ...now, ...Object.fromEntries(gone.map(({ key }) => [key, null])) };
}
