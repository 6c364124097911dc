import type { LoadContext } from './load/context.ts';
import { endOf } from './load/ends.ts';
import { answerTo } from './talk-model.ts';
import type { Data } from './talks.ts';

/** A run of a playbook, and what its client was told of it. */
export interface StartedRun {
  tag: string;
  /** Undefined if its start was never acknowledged. */
  id: string | undefined;
  isCancelAsked: boolean;
}

/** Why a run may fail while parts of the stack are killed: for the same reasons as turns. */
export const explained: readonly string[] = [
  'model_unavailable',
  'storage_unavailable',
  'internal_error',
  'turn_timeout',
  'overloaded',
];

/** Waits until every run has ended, and checks its report: a successful run has one, others have none. */
export async function compareRuns(context: LoadContext): Promise<void> {
  const { journal, projectId, runs } = context;
  const shown = new Map<string, Data>();
  for (const run of runs) {
    if (run.id === undefined) continue;
    const ended = await endOf(context, `/v1/projects/${projectId}/runs/${run.id}`);
    if (ended === undefined) journal.breach('runStuck', `${run.tag}: ${run.id}`);
    else shown.set(run.tag, ended as Data);
  }
  const listed = await context.client.settle({
    kind: 'reports',
    method: 'GET',
    path: `/v1/projects/${projectId}/reports`,
  });
  if (listed.outcome !== 'acknowledged') return journal.breach('unexpected', 'the reports cannot be listed');
  const reports = (listed.answer.body.items ?? []) as Data[];
  for (const run of runs) compareRun(context, run, shown.get(run.tag), reports);
  const tags = new Set(runs.map(({ tag }) => titleOf(tag)));
  for (const { id, title, source } of reports)
    if (source === 'playbook' && !tags.has(title)) journal.breach('runOutput', `${id}: ${title} is nobody's`);
}

/** The title of a run's report. */
export const titleOf = (tag: string): string => `Report ${tag}`;
/** The instructions of its analyst. */
export const instructionsOf = (tag: string): string => `Report on ${tag}.`;

function compareRun(
  { journal }: LoadContext,
  { tag, id, isCancelAsked }: StartedRun,
  run: Data | undefined,
  reports: readonly Data[],
): void {
  const own = reports.filter(({ title }) => title === titleOf(tag));
  if (own.length > 1) journal.breach('runOutput', `${tag} has ${own.length} reports`);
  if (run === undefined) return;
  const why = run.error === null ? '' : ` (${run.error.code})`;
  journal.count('runs', `${run.status}${why}`);
  const label = `${tag}, ${id}: ${run.status}${why}`;
  const wanted = run.status === 'succeeded' ? 1 : 0;
  if (own.length !== wanted || (wanted === 1 && own[0].id !== run.output?.reportId))
    journal.breach('runOutput', `${label}, and ${JSON.stringify(own.map((report) => report.id))}`);
  if (run.status === 'failed' && !explained.includes(run.error?.code)) journal.breach('runEnd', label);
  if (run.status === 'cancelled' && !isCancelAsked) journal.breach('runEnd', `${label} by nobody`);
  const running = run.steps.filter(({ status }: Data) => status === 'running');
  if (running.length > 0) journal.breach('runEnd', `${label}: ${JSON.stringify(running)}`);
  if (run.status !== 'succeeded' || own.length !== 1) return;
  const { text } = answerTo(instructionsOf(tag));
  if (own[0].sizeBytes !== Buffer.byteLength(`${text}\n`))
    journal.breach('runOutput', `${label}: ${own[0].sizeBytes} bytes of ${JSON.stringify(text)}`);
  if (own[0].revision !== 1) journal.breach('runOutput', `${label}: revision ${own[0].revision}`);
}
