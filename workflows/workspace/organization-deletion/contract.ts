/** What is passed from one execution to the next. Everything else is found in the rows. */
export interface OrganizationDeletionState {
  /** `sweeping`: the organization is gone, and what was under way then is looked for once more. */
  step: 'waiting' | 'removing' | 'sweeping';
  /** Schema of the lake's catalog; null if there is no lake. */
  lake: string | null;
  /** What was removed so far. */
  removed: { processes: number; tables: number; rows: number };
  /** Roles that another database of the same server still names. */
  rolesLeft: string[];
}

export interface OrganizationDeletionInput {
  organizationId: string;
  state?: OrganizationDeletionState;
}

/**
 * `paused`: it is due, but all automation is paused. `kept`: it was called off. `gone`: there is no such
 * organization any more.
 */
export type BegunDeletion =
  | { kind: 'waits'; dueAt: string; waitMs: number }
  | { kind: 'begun'; lake: string | null }
  | { kind: 'paused' | 'kept' | 'gone' };

export interface DeletedLake {
  organizationId: string;
  lake: string;
}

export interface RemovedRows {
  rows: number;
  /** The table where the slice ended; null if there was nothing left. */
  next: string | null;
}

/** Activities on the control queue: short, database only. */
export interface OrganizationDeletionControlActivities {
  beginDeletion(organizationId: string): Promise<BegunDeletion>;
  removeLakeTables(lake: DeletedLake): Promise<{ tables: number; left: number | null }>;
  removeRows(organizationId: string): Promise<RemovedRows>;
  finishDeletion(organizationId: string): Promise<'gone' | 'again'>;
}

/** Activities on the lake queue: they ask other stores, and may take hours. */
export interface OrganizationDeletionLakeActivities {
  endProcesses(organizationId: string): Promise<number>;
  endCredentials(organizationId: string): Promise<void>;
  endLakeSessions(lake: DeletedLake): Promise<void>;
  removeLakeRoles(lake: DeletedLake): Promise<string[]>;
  removeObjects(organizationId: string, lake: string | null): Promise<'removed' | 'held'>;
}
