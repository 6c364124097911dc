/** Everything else is read from rows. */
export interface AppHealthInput {
  organizationId: string;
}

/** What a round of checks leaves behind. */
export interface AppHealthRound {
  /** Until the next check is due; null if the organization has no apps. */
  waitMs: number | null;
  apps: number;
  live: number;
}

/** Activities on the agent queue: requests to addresses outside, with heartbeats. */
export interface AppHealthAgentActivities {
  /** Checks a bounded number of the apps that are due. */
  checkDueApps(input: AppHealthInput): Promise<AppHealthRound>;
}
