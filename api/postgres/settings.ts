import { ProtocolFault } from '../../packages/postgres-protocol/index.ts';

/** Settings of a session, as SHOW tells them. Most have no effect here; clients set and ask for them. */
const defaults: Readonly<Record<string, string>> = {
  application_name: '',
  array_nulls: 'on',
  backslash_quote: 'safe_encoding',
  bytea_output: 'hex',
  client_encoding: 'UTF8',
  client_min_messages: 'notice',
  constraint_exclusion: 'partition',
  cursor_tuple_fraction: '0.1',
  datestyle: 'ISO, MDY',
  default_tablespace: '',
  default_transaction_deferrable: 'off',
  default_transaction_isolation: 'repeatable read',
  default_transaction_read_only: 'on',
  enable_seqscan: 'on',
  extra_float_digits: '1',
  geqo: 'on',
  idle_in_transaction_session_timeout: '0',
  in_hot_standby: 'off',
  integer_datetimes: 'on',
  intervalstyle: 'postgres',
  is_superuser: 'off',
  jit: 'off',
  lc_collate: 'C',
  lc_ctype: 'C',
  lc_messages: 'C',
  lc_monetary: 'C',
  lc_numeric: 'C',
  lc_time: 'C',
  lock_timeout: '0',
  max_identifier_length: '63',
  max_index_keys: '32',
  password_encryption: 'scram-sha-256',
  plan_cache_mode: 'auto',
  quote_all_identifiers: 'off',
  row_security: 'on',
  search_path: 'main',
  server_encoding: 'UTF8',
  server_version: '18.0 (Analytics Workspace)',
  server_version_num: '180000',
  session_authorization: '',
  ssl: 'on',
  standard_conforming_strings: 'on',
  statement_timeout: '0',
  synchronize_seqscans: 'on',
  timezone: 'UTC',
  transaction_isolation: 'repeatable read',
  transaction_read_only: 'on',
  transform_null_equals: 'off',
  work_mem: '4MB',
  xmloption: 'content',
};

const fixed = new Set([
  ...['server_version', 'server_version_num', 'server_encoding', 'is_superuser', 'integer_datetimes'],
  ...['max_identifier_length', 'max_index_keys', 'in_hot_standby', 'lc_collate', 'lc_ctype'],
]);

/** Clients are told of these at the beginning, by these names. */
const reported = [
  ...['server_version', 'server_encoding', 'client_encoding', 'application_name', 'is_superuser'],
  ...['session_authorization', 'DateStyle', 'IntervalStyle', 'TimeZone', 'integer_datetimes'],
  ...['standard_conforming_strings', 'default_transaction_read_only', 'in_hot_standby'],
];

export interface Settings {
  /** @throws ProtocolFault 42704 */
  show(name: string): string;
  isKnown(name: string): boolean;
  /**
   * Null sets the default. Gives the name and the value if the client is to be told, and what it should know.
   *
   * @throws ProtocolFault
   */
  set(name: string, value: string | null): { told?: [string, string]; notice?: string };
  resetAll(): void;
  all(): ReadonlyMap<string, string>;
  /** Those that a client is told at the beginning. */
  reported(): [string, string][];
  /** How long a statement may take; undefined if the client has set nothing. */
  statementTimeoutMs(): number | undefined;
}

export function createSettings(given: Readonly<Record<string, string>>): Settings {
  const initial = new Map([...Object.entries(defaults), ...Object.entries(given)]);
  let values = new Map(initial);

  function find(name: string): string {
    const value = values.get(name.toLowerCase());
    if (value !== undefined) return value;
    throw new ProtocolFault('42704', `unrecognized configuration parameter "${name.slice(0, 100)}"`);
  }
  return {
    show: find,
    isKnown: (name) => values.has(name.toLowerCase()),
    set(name, given) {
      const key = name.toLowerCase();
      if (key === 'all' && given === null) {
        values = new Map(initial);
        return {};
      }
      const before = find(key);
      if (fixed.has(key)) throw new ProtocolFault('55P02', `parameter "${key}" cannot be changed`);
      const { value, notice } = accepted(key, given ?? initial.get(key)!, before);
      values.set(key, value.slice(0, 1_000));
      const shown = reported.find((each) => each.toLowerCase() === key);
      return {
        ...(shown === undefined || value === before ? {} : { told: [shown, value] as [string, string] }),
        ...(notice === undefined ? {} : { notice }),
      };
    },
    resetAll: () => {
      values = new Map(initial);
    },
    all: () => values,
    reported: () => reported.map((name) => [name, find(name)]),
    statementTimeoutMs: () => milliseconds(find('statement_timeout')) || undefined,
  };
}

/** What a setting becomes; some can only stay as they are. */
function accepted(key: string, value: string, before: string): { value: string; notice?: string } {
  const invalid = () =>
    new ProtocolFault('22023', `invalid value for parameter "${key}": "${value.slice(0, 100)}"`);
  if (key === 'client_encoding') {
    if (/^(?:utf-?8|unicode|sql_ascii|auto)$/i.test(value)) return { value: 'UTF8' };
    throw new ProtocolFault('0A000', 'Texts are sent in UTF-8 only.');
  }
  if (key === 'datestyle') {
    if (/^iso\b/i.test(value) || !/sql|postgres|german/i.test(value)) return { value: before };
    return { value: before, notice: 'Dates are written in the style ISO.' };
  }
  if (key === 'timezone') {
    if (/^(?:utc|gmt|etc\/utc|etc\/gmt|z|zulu|0|\+?00(?::00)?)$/i.test(value)) return { value: before };
    return { value: before, notice: 'Times with a time zone are written in UTC.' };
  }
  if (key === 'intervalstyle' && value.toLowerCase() !== 'postgres')
    return { value: before, notice: 'Intervals are written in the style postgres.' };
  if (key === 'default_transaction_read_only' || key === 'transaction_read_only') return { value: 'on' };
  if (key === 'bytea_output') return { value: 'hex' };
  if (key === 'statement_timeout' && milliseconds(value) === undefined) throw invalid();
  return { value };
}

const units: Readonly<Record<string, number>> = { '': 1, ms: 1, s: 1_000, min: 60_000, h: 3_600_000 };

function milliseconds(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d+(?:\.\d+)?) ?(ms|s|min|h|)$/i.exec(text.trim()) ?? [];
  return count === undefined ? undefined : Math.ceil(Number(count) * units[unit.toLowerCase()]!);
}
