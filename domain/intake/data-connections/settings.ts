import type { ValidationFault } from '../../../data/errors.ts';
import { isRawNumber } from '../../../data/exact-json.ts';
import type { Condition, ConnectionTypeTable, Field } from './types/field.ts';

export type SettingValue = string | number | boolean;
/** One part of a connection's settings, by key. */
export type Settings = Record<string, SettingValue>;
/** As in a request: null removes a key. */
export type SettingsChange = Readonly<Record<string, unknown>>;

const maxTextCharacters = 8_192;

/** Merges a change into the settings, key by key, without validation. */
export function mergedSettings(before: Settings, change: SettingsChange): Settings {
  const merged = new Map<string, unknown>(Object.entries(before));
  for (const [key, value] of Object.entries(change)) {
    if (value === null) merged.delete(key);
    else merged.set(key, value);
  }
  return Object.fromEntries(merged) as Settings;
}

/**
 * All faults of a connection's settings, each with its location, worded with the labels of the type's table.
 */
export function settingsFaults(
  { config: configFields, secrets: secretFields }: ConnectionTypeTable,
  config: SettingsChange,
  secrets: SettingsChange,
): ValidationFault[] {
  const inForce = new Map(
    configFields.map(({ key, preset }) => [key, Object.hasOwn(config, key) ? config[key] : preset]),
  );
  const holds = (condition: Condition | undefined): boolean =>
    condition !== undefined &&
    Object.entries(condition).every(([key, values]) => values.includes(String(inForce.get(key))));
  const part = (name: string, fields: readonly Field[], given: SettingsChange): ValidationFault[] => {
    const known = new Set(fields.map(({ key }) => key));
    const at = (key: string, msg: string, type: string) => ({ loc: ['body', name, key], msg, type });
    const unknown = Object.keys(given).filter((key) => !known.has(key));
    return [
      ...unknown.map((key) => at(key, 'Extra inputs are not permitted', 'extra_forbidden')),
      ...fields.flatMap((field) => {
        const { key, label, appliesWhen, required, requiredWhen } = field;
        const value = Object.hasOwn(given, key) ? given[key] : undefined;
        if (value === undefined) {
          if (required) return [at(key, `${label} is required.`, 'missing')];
          if (!holds(requiredWhen)) return [];
          return [at(key, `${label} is required ${inWords(requiredWhen!, configFields)}.`, 'missing')];
        }
        if (appliesWhen !== undefined && !holds(appliesWhen)) {
          const only = `${label} only applies ${inWords(appliesWhen, configFields)}. Omit it, or send null to remove it.`;
          return [at(key, only, 'value_error')];
        }
        const fault = valueFault(field, value);
        return fault === undefined ? [] : [at(key, `${label} ${fault.msg}`, fault.type)];
      }),
    ];
  };
  return [...part('config', configFields, config), ...part('secrets', secretFields, secrets)];
}

/** For example `if Authentication is basic`. */
export function inWords(condition: Condition, fields: readonly Field[]): string {
  const parts = Object.entries(condition).map(([key, values]) => {
    const label = fields.find((field) => field.key === key)?.label ?? key;
    return `${label} is ${values.join(' or ')}`;
  });
  return `if ${parts.join(' and ')}`;
}

interface ValueFault {
  msg: string;
  type: string;
}

function valueFault(field: Field, value: unknown): ValueFault | undefined {
  switch (field.type) {
    case 'boolean':
      return typeof value === 'boolean' ? undefined : { msg: 'must be true or false.', type: 'bool_type' };
    case 'integer':
      return integerFault(field.range!, value);
    case 'enum': {
      const values = field.values!;
      if (typeof value === 'string' && values.includes(value)) return undefined;
      return { msg: `must be one of ${values.join(', ')}.`, type: 'enum' };
    }
    case 'string':
      return textFault(field, value);
  }
}

function integerFault([lowest, highest]: readonly [number, number], value: unknown): ValueFault | undefined {
  const msg = `must be an integer from ${lowest} to ${highest}.`;
  if (isRawNumber(value))
    return { msg, type: value.rawJSON.startsWith('-') ? 'greater_than_equal' : 'less_than_equal' };
  if (typeof value !== 'number' || !Number.isInteger(value)) return { msg, type: 'int_type' };
  if (value < lowest) return { msg, type: 'greater_than_equal' };
  return value > highest ? { msg, type: 'less_than_equal' } : undefined;
}

function textFault({ fault }: Field, value: unknown): ValueFault | undefined {
  if (typeof value !== 'string') return { msg: 'must be a text.', type: 'string_type' };
  if (value === '') return { msg: 'must not be empty.', type: 'string_too_short' };
  if (value.length > maxTextCharacters)
    return { msg: `must have at most ${maxTextCharacters} characters.`, type: 'string_too_long' };
  const msg = fault?.(value);
  return msg === undefined ? undefined : { msg, type: 'value_error' };
}

/** The effective value: the configured one, or the default. */
export function settingOf(
  { config: fields }: ConnectionTypeTable,
  config: Settings,
  key: string,
): SettingValue | undefined {
  return config[key] ?? fields.find((field) => field.key === key)?.preset;
}
