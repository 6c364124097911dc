import type { CatalogSession } from '../../../../packages/postgres-dialect/index.ts';
import type { PostgresFormat } from '../../../../packages/row-formats/index.ts';
import type { PlainReading, QueryParameter, ReadingLocation } from '../request.ts';
import type { StreamTask } from '../stream/contract.ts';

/** Tells the columns of a statement and the types of its parameters, as PostgreSQL's protocol names them. */
export interface DescribeTask extends Omit<StreamTask, 'kind' | 'limit' | 'format' | 'maxFileBytes'> {
  kind: 'describe';
}

export interface DescribedColumn {
  name: string;
  oid: number;
  size: number;
  modifier: number;
}

export interface Described {
  columns: DescribedColumn[];
  /** The oids of parameters whose types the statement decides, by name. */
  parameters: Record<string, number>;
}

/**
 * Runs a statement about the catalog of PostgreSQL, or describes it. It runs in an engine of its own, which
 * has the catalog of one caller and access to nothing else.
 */
export interface CatalogTask {
  kind: 'catalog';
  /** Whose it is; nothing is read there. */
  location: ReadingLocation;
  /** The tables of the content of the catalog. */
  plain?: PlainReading | undefined;
  /** The names of these tables, in the same order. */
  names: readonly string[];
  sql: string;
  session: CatalogSession;
  parameters: readonly QueryParameter[];
  limit: number;
  /** Undefined to describe the statement. */
  format: PostgresFormat | undefined;
}

export interface CatalogAnswer extends Described {
  rowCount: number;
  truncated: boolean;
}
