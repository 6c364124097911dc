import type { FaultClient } from '../client.ts';
import type { Copies } from '../copies.ts';
import type { Flows } from '../flows.ts';
import type { Journal } from '../journal.ts';
import type { Model } from '../model.ts';
import type { Moments } from '../moments.ts';
import type { TableKey } from '../rows.ts';
import type { StartedRun } from '../runs.ts';
import type { Schedules } from '../schedules.ts';
import type { Talks } from '../talks.ts';
import type { Filed } from './file-lanes.ts';
import type { Keyed } from './keyed-lanes.ts';
import type { Slots } from './slot-lanes.ts';

/** What the lanes of the load share. */
export interface LoadContext {
  client: FaultClient;
  journal: Journal;
  model: Model;
  /** Table ids. */
  tables: Record<TableKey, string>;
  /** The data sync behind `snapshot`, and the generation its lanes work under. */
  sync: { id: string; generation: string };
  /** Batches that are under way, by id, with what is known of them. */
  batches: Map<string, { path: string; told: string }>;
  moments: Moments;
  /** The project in which the load talks, with tables attached. */
  projectId: string;
  talks: Talks;
  /** The playbook that the load runs, and its runs. */
  playbookPath: string;
  runs: StartedRun[];
  /** What fires again and again, in a project of its own. */
  schedules: Schedules;
  /** Runs of a workflow, in a project of its own. */
  flows: Flows;
  /** Datasets of a source that changes all the time, and their snapshots. */
  copies: Copies;
  /** A large table that is upserted while its lake is maintained. */
  keyed: Keyed;
  /** A table whose keys are enforced, and whose rows come and go. */
  slots: Slots;
  /** An imported table to which files are appended. */
  filed: Filed;
  signal: AbortSignal;
}

/** A client that does one thing after the other. */
export interface Lane {
  name: string;
  step(): Promise<void>;
  /** Requests that it did not wait for. */
  pending?: ReadonlySet<Promise<void>>;
}
