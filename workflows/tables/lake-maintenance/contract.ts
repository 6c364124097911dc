import type { lakeMaintenanceFigureNames } from './names.ts';

/** Passed from one execution to the next; everything else is read from rows. */
export interface LakeMaintenanceInput {
  organizationId: string;
  /** A run was requested while the last execution ended. */
  isAsked?: boolean;
}

/** Counts of a run. A table whose lock was held for long is skipped; the next run handles it. */
export type LakeMaintenanceFigures = Record<(typeof lakeMaintenanceFigureNames)[number], number>;

export type LakeMaintenanceStep = 'flush' | 'compact' | 'expire' | 'remove_files' | 'remove_orphans';

/** A failed step, or one table of it, with an error code of the service. */
export interface LakeMaintenanceFailure {
  step: LakeMaintenanceStep;
  tableId: string | null;
  code: string;
}

/** The result of one bounded piece of a step, and where the next piece begins; null if the step is done. */
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
  /** Closes what a terminated execution left open; returns the time until the next run. */
  planLakeMaintenance(input: LakeMaintenanceInput): Promise<{ waitMs: number }>;
  /** The id of the run that begins: the requested one, or a new one. */
  beginLakeMaintenanceRun(input: LakeMaintenanceInput): Promise<string>;
  endLakeMaintenanceRun(
    input: LakeMaintenanceInput,
    runId: string,
    outcome: LakeMaintenanceRunOutcome,
  ): Promise<void>;
}

/** Activities on the lake queue: each processes a bounded piece, beginning at `from`, with heartbeats. */
export interface LakeMaintenanceLakeActivities {
  flushLakeTables(input: LakeMaintenanceInput, from: string | null): Promise<LakeMaintenancePiece>;
  compactLakeTables(input: LakeMaintenanceInput, from: string | null): Promise<LakeMaintenancePiece>;
  expireLakeSnapshots(input: LakeMaintenanceInput, from: string | null): Promise<LakeMaintenancePiece>;
  removeOldLakeFiles(input: LakeMaintenanceInput, from: string | null): Promise<LakeMaintenancePiece>;
  removeLakeOrphans(input: LakeMaintenanceInput, from: string | null): Promise<LakeMaintenancePiece>;
}
