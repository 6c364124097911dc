import { type Graph, readGraph, type Workflow } from './graph.ts';

/** A workflow's draft as it is edited; without a graph where that cannot be. */
export interface Draft {
  title: string;
  description: string;
  outputFolder: string;
  graph: Graph | undefined;
}

export const draftOf = ({ title, description, outputFolder, graph }: Workflow): Draft => ({
  title,
  description,
  outputFolder,
  graph: graph === null ? undefined : readGraph(graph),
});

/** The same as it is sent. What is not edited here is sent back as it was read. */
export const bodyOf = (
  { title, description, outputFolder, graph }: Draft,
  { graph: stored, triggers }: Pick<Workflow, 'graph' | 'triggers'>,
  revision: number,
) => ({
  title,
  description,
  output_folder: outputFolder,
  ...(stored === null ? {} : { graph: graph ?? stored }),
  triggers: triggers.map(sentTrigger),
  expected_revision: revision,
});

/** A trigger as it is sent; one without an id is new. */
export type SentTrigger = Omit<ReturnType<typeof sentTrigger>, 'id'> & { id?: string };

export const sentTrigger = ({ id, type, label, enabled, params, schedule, config }: Trigger) => ({
  ...{ id, label, enabled, params, config },
  type: type as Exclude<typeof type, 'unknown'>,
  schedule: schedule === null ? null : cadenceBody(schedule),
});

type Trigger = Workflow['triggers'][number];

const cadenceBody = ({ type, ...cadence }: NonNullable<Workflow['triggers'][number]['schedule']>) => ({
  // The service says so where it is of a type that can only be read.
  type: type as 'daily',
  zone_id: cadence.zoneId,
  time_of_day: cadence.timeOfDay,
  run_date: cadence.runDate,
  days_of_week: cadence.daysOfWeek,
  day_of_month: cadence.dayOfMonth,
  anchor_date: cadence.anchorDate,
  interval: cadence.interval,
});
