import type { ValidationFault } from '../../../data/errors.ts';
import type { Settings, SettingsChange } from './settings.ts';
import type { ConfigField, ConnectionTypeTable } from './types/field.ts';

/** Destination of a connection's secrets. */
export interface Direction {
  config: Settings;
  /** Whether the addresses that its host names resolve to are checked. */
  isChecked: boolean;
}

/**
 * Secrets are for the server they were given for: a change that sends them elsewhere, or less securely, must
 * give them again or remove them. Otherwise anyone who may change a connection could read its secrets by
 * pointing it at their own server.
 */
export function redirectedSecretFaults(
  { config: fields, secrets }: ConnectionTypeTable,
  before: Direction,
  after: Direction,
  { kept, given }: { kept: Settings; given: SettingsChange },
): ValidationFault[] {
  const changed = fields.filter((field) => redirects(field, before.config, after.config));
  const isUnchecked = before.isChecked && !after.isChecked;
  return secrets
    .filter(({ key }) => Object.hasOwn(kept, key) && !Object.hasOwn(given, key))
    .flatMap(({ key, label }) => {
      const labels = changed.filter(({ directs }) => directs.includes(key)).map((field) => field.label);
      if (isUnchecked) labels.push('validate_server_address');
      if (labels.length === 0) return [];
      const msg = `${label} was set for another ${labels.join(' and ')}. Send it again, or send null to remove it.`;
      return [{ loc: ['body', 'secrets', key], msg, type: 'missing' }];
    });
}

function redirects(field: ConfigField, before: Settings, after: Settings): boolean {
  const { key, preset, directs, destination = (text) => text, isSafer } = field;
  if (directs.length === 0) return false;
  const [was, is] = [before, after].map((config) => destination(String(config[key] ?? preset ?? '')));
  return was !== is && isSafer?.(was!, is!) !== true;
}
