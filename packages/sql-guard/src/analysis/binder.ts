import type { ColumnedRelation } from './contract.ts';
import type { PlanNode } from './plan-node.ts';

/** A statement as the engine understands it. */
export interface BoundQuery {
  columns: { name: string; dataType: string }[];
  /** Of `json_serialize_plan`, not optimized; undefined if the engine cannot print it. */
  plan: PlanNode | undefined;
}

/** Empty tables with the columns of real ones, over which statements are bound and never run. */
export interface Binder {
  /** Replaces the tables. */
  shape(relations: readonly ColumnedRelation[]): Promise<void>;
  /** @throws SqlRefusal for a statement that does not fit the tables */
  bind(sql: string): Promise<BoundQuery>;
  /** Names of functions, in lower case, that may give another value for the same arguments. */
  unstable: ReadonlySet<string>;
}
