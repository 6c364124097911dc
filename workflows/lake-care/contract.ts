import type { lakeCareFigureNames } from './names.ts';

/** Carried from one execution to the next; everything else is read from rows. */
export interface LakeCareInput {
  organizationId: string;
  /** A run was asked for while the last execution ended. */
  isAsked?: boolean;
}

/** What a run did. A table is skipped where somebody held it for long; the next run takes it. */
export type LakeCareFigures = Record<(typeof lakeCareFigureNames)[number], number>;

export type LakeCareStep = 'flush' | 'compact' | 'expire' | 'remove_files' | 'remove_orphans';

/** A step, or one table of it, that failed; its code is of the service's error codes. */
export interface LakeCareFailure {
  step: LakeCareStep;
  tableId: string | null;
  code: string;
}

/** What one bounded piece of a step did, and where the next piece begins; null when the step is done. */
export interface LakeCarePiece {
  figures: Partial<LakeCareFigures>;
  failures: LakeCareFailure[];
  next: string | null;
}

export interface LakeCareRunOutcome {
  figures: LakeCareFigures;
  failures: LakeCareFailure[];
}

/** Activities on the control queue: short, database only. */
export interface LakeCareControlActivities {
  /** Closes what an execution that was ended from outside left open; says how long to wait for the next run. */
  planLakeCare(input: LakeCareInput): Promise<{ waitMs: number }>;
  /** The id of the run that begins: the one that was asked for, or a new one. */
  beginLakeCareRun(input: LakeCareInput): Promise<string>;
  endLakeCareRun(input: LakeCareInput, runId: string, outcome: LakeCareRunOutcome): Promise<void>;
}

/** Activities on the lake queue: each does a bounded piece from `from` on, with heartbeats. */
export interface LakeCareLakeActivities {
  flushLakeTables(input: LakeCareInput, from: string | null): Promise<LakeCarePiece>;
  compactLakeTables(input: LakeCareInput, from: string | null): Promise<LakeCarePiece>;
  expireLakeSnapshots(input: LakeCareInput, from: string | null): Promise<LakeCarePiece>;
  removeOldLakeFiles(input: LakeCareInput, from: string | null): Promise<LakeCarePiece>;
  removeLakeOrphans(input: LakeCareInput, from: string | null): Promise<LakeCarePiece>;
}
