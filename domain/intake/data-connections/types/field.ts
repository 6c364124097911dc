/**
 * For each field of `config` that it names, the values with which the condition holds. All of them have to.
 */
export type Condition = Readonly<Record<string, readonly string[]>>;

/**
 * One setting of a connection, from which its listing, its validation, its label in errors and its docs are
 * made.
 */
export interface Field {
  key: string;
  /** How people, and errors, call it. */
  label: string;
  type: 'string' | 'integer' | 'boolean' | 'enum';
  required: boolean;
  example?: string | number | boolean;
  /** Of an enum. */
  values?: readonly string[];
  /** Where it is left out; conditions are judged by it too. */
  preset?: string | number | boolean;
  /** It may be given only where this holds. */
  appliesWhen?: Condition;
  /** It has to be given where this holds. */
  requiredWhen?: Condition;
  /** Of an integer. */
  range?: readonly [lowest: number, highest: number];
  /** Why a text cannot be its value; undefined where it can. */
  fault?: (text: string) => string | undefined;
}

/**
 * A setting that is shown. Each says what it has to do with where secrets go, so that no address is
 * forgotten.
 */
export interface ConfigField extends Field {
  /** The secrets that go where it says, or are sent as it says: one that changes has them given again. */
  directs: readonly string[];
  /** What of a value directs them, where that is not all of it: of an address, the server. */
  destination?: (text: string) => string;
  /** Whether another value sends them more safely than the one before. */
  isSafer?: (before: string, after: string) => boolean;
}

export interface ConnectionTypeTable {
  type: ConnectionType;
  label: string;
  config: readonly ConfigField[];
  secrets: readonly Field[];
}

export const connectionTypes = ['postgres', 'mysql', 'http', 's3', 'ducklake'] as const;
export type ConnectionType = (typeof connectionTypes)[number];
