import type { lakeMaintenanceFigureNames } from './names.ts';

/** Carried from one execution to the next; everything else is read from rows. */
export interface LakeMaintenanceInput {
  organizationId: string;
  /** A run was asked for while the last execution ended. */
  isAsked?: boolean;
}

/** What a run did. A table is skipped where somebody held it for long; the next run takes it. */
export type LakeMaintenanceFigures = Record<(typeof lakeMaintenanceFigureNames)[number], number>;

export type LakeMaintenanceStep = 'flush' | 'compact' | 'expire' | 'remove_files' | 'remove_orphans';

/** A step, or one table of it, that failed; its code is of the service's error codes. */
export interface LakeMaintenanceFailure {
  step: LakeMaintenanceStep;
  tableId: string | null;
  code: string;
}

/** What one bounded piece of a step did, and where the next piece begins; null when the step is done. */
export interface LakeMaintenancePiece {
  figures: Partial<LakeMaintenanceFigures>;
  failures: LakeMaintenanceFailure[];
  next: string | null;
}

export interface LakeMaintenanceRunOutcome {
  figures: LakeMaintenanceFigures;
  failures: LakeMaintenanceFailure[];
}

/** Activities on the control queue: short, database only. */
export interface LakeMaintenanceControlActivities {
  /**
   * Closes what an execution that was ended from outside left open; says how long to wait for the next run.
   */
  planLakeMaintenance(input: LakeMaintenanceInput): Promise<{ waitMs: number }>;
  /** The id of the run that begins: the one that was asked for, or a new one. */
  beginLakeMaintenanceRun(input: LakeMaintenanceInput): Promise<string>;
  endLakeMaintenanceRun(
    input: LakeMaintenanceInput,
    runId: string,
    outcome: LakeMaintenanceRunOutcome,
  ): Promise<void>;
}

/** Activities on the lake queue: each does a bounded piece from `from` on, with heartbeats. */
export interface LakeMaintenanceLakeActivities {
  flushLakeTables(input: LakeMaintenanceInput, from: string | null): Promise<LakeMaintenancePiece>;
  compactLakeTables(input: LakeMaintenanceInput, from: string | null): Promise<LakeMaintenancePiece>;
  expireLakeSnapshots(input: LakeMaintenanceInput, from: string | null): Promise<LakeMaintenancePiece>;
  removeOldLakeFiles(input: LakeMaintenanceInput, from: string | null): Promise<LakeMaintenancePiece>;
  removeLakeOrphans(input: LakeMaintenanceInput, from: string | null): Promise<LakeMaintenancePiece>;
}
