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
import type { Shaped } from './shaping-lanes.ts';
import type { Slots } from './slot-lanes.ts';
import type { Gated } from './verification-lanes.ts';

/** What the lanes of the load share. */
export interface LoadContext {
  client: FaultClient;
  journal: Journal;
  model: Model;
  /** Table ids. */
  tables: Record<TableKey, string>;
  /** The data sync behind `snapshot`, and the generation its lanes work under. */
  sync: { id: string; generation: string };
  /** Batches in progress by id, with what is known of them. */
  batches: Map<string, { path: string; what: string }>;
  moments: Moments;
  /** The project in which the load talks, with tables attached. */
  projectId: string;
  talks: Talks;
  /** The playbook that the load runs, and its runs. */
  playbookPath: string;
  runs: StartedRun[];
  /** Schedules that fire repeatedly, in their own project. */
  schedules: Schedules;
  /** Runs of a workflow, in its own project. */
  flows: Flows;
  /** Datasets of constantly changing sources, and their snapshots. */
  copies: Copies;
  /** A large table that is upserted while its lake is maintained. */
  keyed: Keyed;
  /** A table with enforced keys, whose rows come and go. */
  slots: Slots;
  /** An imported table to which files are appended. */
  filed: Filed;
  /** Calculated tables over a table that is appended to. */
  shaped: Shaped;
  /** A table whose content a blocking test may refuse, and tests of others. */
  gated: Gated;
  /** Since when there is no load and everything is up; undefined while there is load. */
  restSinceMs: number | undefined;
  signal: AbortSignal;
}

/** A client that works sequentially. */
export interface Lane {
  name: string;
  step(): Promise<void>;
  /** Requests that it did not wait for. */
  pending?: ReadonlySet<Promise<void>>;
}
