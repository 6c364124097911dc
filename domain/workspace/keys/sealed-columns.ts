import type { DB } from '../../../data/postgres/schema.ts';

/** A column whose values are sealed by the service's cipher. */
type SealedColumnOf<Table extends keyof DB> = {
  table: Table;
  /** What completes the primary key behind `organization_id`. */
  key: readonly (keyof DB[Table] & string)[];
  column: {
    [Name in keyof DB[Table]]: DB[Table][Name] extends Buffer | null ? Name : never;
  }[keyof DB[Table]];
};

type AnySealedColumn = { [Table in keyof DB]: SealedColumnOf<Table> }[keyof DB];

/**
 * Every column with sealed values. A rotation of keys visits these and no others: a column that is missing
 * here would be lost with the old key. A test compares the list with the database.
 */
export const sealedColumns = [
  { table: 'app_connections', key: ['id'], column: 'sealed_secrets' },
  { table: 'data_connections', key: ['id'], column: 'sealed_secrets' },
  { table: 'idempotency_keys', key: ['caller_id', 'key'], column: 'response' },
  { table: 'lakes', key: [], column: 'reader_password' },
  { table: 'workflow_hooks', key: ['trigger_id'], column: 'sealed_previous_secret' },
  { table: 'workflow_hooks', key: ['trigger_id'], column: 'sealed_secret' },
  { table: 'workflow_versions', key: ['id'], column: 'sealed_secrets' },
  { table: 'workflows', key: ['id'], column: 'sealed_secrets' },
] as const satisfies readonly AnySealedColumn[];

export type SealedColumn = (typeof sealedColumns)[number];

/** Named as in progress and reports: `lakes.reader_password`. */
export const nameOf = ({ table, column }: Pick<SealedColumn, 'table' | 'column'>) => `${table}.${column}`;
