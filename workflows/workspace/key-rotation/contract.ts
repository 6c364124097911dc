/**
 * Where a walk over all sealed values goes on: in this organization, after this row of the column. A column
 * of null: the organization is done.
 */
export interface SealedPosition {
  organizationId: string;
  column: string | null;
  after: string[] | null;
}

/** A number of values of a column (`lakes.reader_password`), by the key that they are sealed under. */
export interface SealedCount {
  column: string;
  keyId: string;
  count: number;
}

export interface CountedSlice {
  counts: SealedCount[];
  /** Null at the end. */
  next: SealedPosition | null;
}

/** `missing`: the key is not configured. `unreadable`: it is, but does not open the value. */
export interface UnopenedValues extends SealedCount {
  reason: 'missing' | 'unreadable';
}

export interface ResealedSlice {
  resealed: SealedCount[];
  /** Values that a request changed or removed, or another run re-sealed, at the same moment. */
  changed: SealedCount[];
  unopened: UnopenedValues[];
  next: SealedPosition | null;
}

/** Passed from one execution to the next. Everything else is found in the rows. */
export interface KeyRotationState {
  step: 'count' | 'reseal';
  position: SealedPosition | null;
  /** Times that all values have been visited for re-sealing. */
  passes: number;
  /** As far as the count under way has come. */
  counting: SealedCount[];
  /** Of the last complete count, less what was re-sealed since; null before the first. */
  counts: SealedCount[] | null;
  done: Record<string, number>;
  /** Of the last pass. */
  unopened: UnopenedValues[];
}

export interface KeyRotationInput {
  /** The id of the key that all values are sealed under at the end. */
  keyId: string;
  state?: KeyRotationState;
}

export interface KeyRotationProgress {
  keyId: string;
  done: number;
  /** Null until the first count is complete. */
  left: number | null;
  byColumn: Record<string, { done: number; left: number }>;
  unopened: UnopenedValues[];
}

/** Activities on the control queue: short, database only. */
export interface KeyRotationControlActivities {
  countSealedValues(from: SealedPosition | null): Promise<CountedSlice>;
  resealValues(keyId: string, from: SealedPosition | null): Promise<ResealedSlice>;
}
