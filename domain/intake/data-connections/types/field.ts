/** Values of `config` fields, by key. The condition is met if each named field has one of its values. */
export type Condition = Readonly<Record<string, readonly string[]>>;

/** One setting of a connection. The listing, validation, labels in errors and docs are generated from it. */
export interface Field {
  key: string;
  /** Name shown to users and in errors. */
  label: string;
  type: 'string' | 'integer' | 'boolean' | 'enum';
  required: boolean;
  example?: string | number | boolean;
  /** For enums. */
  values?: readonly string[];
  /** Default value; conditions take it into account. */
  preset?: string | number | boolean;
  /** The field is only allowed if this holds. */
  appliesWhen?: Condition;
  /** The field is required if this holds. */
  requiredWhen?: Condition;
  /** For integers. */
  range?: readonly [lowest: number, highest: number];
  /** Why a string is not a valid value; undefined if it is. */
  fault?: (text: string) => string | undefined;
}

/**
 * A setting that is not secret. Each must state whether it affects where secrets are sent, so that none is
 * forgotten.
 */
export interface ConfigField extends Field {
  /**
   * Keys of the secrets whose destination or transmission it determines: they must be given again if it
   * changes.
   */
  directs: readonly string[];
  /** The part of the value that directs secrets, if not all of it: of an address, the server. */
  destination?: (text: string) => string;
  /** Whether the new value sends the secrets more securely than the old one. */
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
