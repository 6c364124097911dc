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
