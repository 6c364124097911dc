/** A table or view that a statement may name. */
export interface Relation {
  name: string;
  id: string;
  /** A view's SELECT, which was checked when it was saved; absent for a table. */
  definition?: string;
  /** All that a view may name, whatever the statement may; absent if it may name the same. */
  reads?: readonly Relation[];
  /**
   * A SELECT that is read instead of a table. It is not checked, so it must never come from a request.
   */
  staged?: string;
  /** What its columns are called by where no alias is written; its name if absent. */
  alias?: string;
  /** Why it cannot be read now; the statement that names it is refused with this. */
  refusal?: string;
}

/** A parameter of the engine that has a value. */
export interface Parameter {
  /** Without its dollar sign. */
  name: string;
  /** The placeholder that it replaced. */
  source: string;
}
