import type { StartedFlow } from './flows.ts';
import type { Journal } from './journal.ts';
import { flowFile, flowText, flowTitle } from './load/flow-lanes.ts';
import type { Data } from './talks.ts';

/** The complete state of the load's workflow once nothing is in progress. */
export interface SeenFlows {
  runs: readonly Data[];
  deliveries: readonly Data[];
  reports: readonly Data[];
  files: readonly Data[];
  /** The Message-ID of every mail that the server has. */
  mailIds: readonly string[];
  /** Everything that was posted to the receiver, oldest first. */
  posted: readonly { deliveryId: string | undefined; body: Data }[];
}

/** Compares runs with what clients were told, and their output and deliveries with the runs. */
export function compareFlows(journal: Journal, started: readonly StartedFlow[], seen: SeenFlows): void {
  const known = new Map<string, StartedFlow>();
  for (const flow of started) {
    if (flow.id === undefined) continue;
    if (!seen.runs.some(({ id }) => id === flow.id)) journal.breach('flowLost', `${flow.tag}: ${flow.id}`);
    if (known.has(flow.id)) journal.breach('flowDoubled', `${flow.tag} is ${known.get(flow.id)?.tag} too`);
    known.set(flow.id, flow);
  }
  // A run that no client knows of is valid, up to the number of starts without an answer.
  const open = started.filter(({ id }) => id === undefined).length;
  const unasked = seen.runs.filter(({ id }) => !known.has(id));
  if (unasked.length > open) journal.breach('flowDoubled', `${unasked.map(({ id }) => id)} of nobody`);
  for (const run of seen.runs) compareRun(journal, run, known.get(run.id), seen);
  for (const flow of started) compareMade(journal, flow, seen);
  for (const delivery of seen.deliveries)
    compareDelivery(journal, delivery, known.get(delivery.runId)?.tag, seen);
}

function compareRun(
  journal: Journal,
  { id, status, error, steps }: Data,
  flow: StartedFlow | undefined,
  { deliveries }: SeenFlows,
): void {
  const label = `${flow?.tag}, ${id}: ${status} ${error?.code ?? ''}`;
  journal.count('runs of workflows', `${status} ${error?.code ?? ''}`.trim());
  if (status === 'cancelled' && flow?.isCancelAsked !== true) journal.breach('flowEnd', `${label} by nobody`);
  if (status === 'failed' && error?.code !== 'delivery_uncertain') journal.breach('flowEnd', label);
  const under = (steps ?? []).filter((step: Data) => step.status === 'running');
  if (under.length > 0) journal.breach('flowEnd', `${label}: ${JSON.stringify(under)}`);
  const own = deliveries.filter(({ runId }) => runId === id);
  if (new Set(own.map(({ nodeId }) => nodeId)).size < own.length)
    journal.breach('flowOutput', `${label}: ${JSON.stringify(own.map(({ nodeId }) => nodeId))}`);
  const notDelivered = own.filter((delivery) => delivery.status !== 'delivered');
  if (status === 'succeeded' && (own.length !== 4 || notDelivered.length > 0))
    journal.breach('flowOutput', `${label}: ${JSON.stringify(own)}`);
}

/** At most one report and one file per tag, and both for a successful run. */
function compareMade(journal: Journal, { tag, id }: StartedFlow, { runs, reports, files }: SeenFlows): void {
  const run = runs.find((one) => one.id === id);
  const titled = reports.filter(({ title }) => title === flowTitle(tag));
  const there = files.filter(({ path }) => path === flowFile(tag));
  const isRight =
    run?.status === 'succeeded'
      ? titled.length === 1 && there.length === 1 && there[0].version === 1
      : titled.length <= 1 && there.length <= 1;
  if (!isRight)
    journal.breach(
      'flowOutput',
      `${tag}: ${run?.status}, ${titled.length} reports, ${JSON.stringify(there)}`,
    );
}

function compareDelivery(
  journal: Journal,
  { id, kind, status, runId }: Data,
  tag: string | undefined,
  { mailIds, posted }: SeenFlows,
): void {
  journal.count('deliveries of workflows', `${kind} ${status}`);
  const counted = new Map([
    ['email', mails],
    ['webhook', posts],
    ['slack', messages],
  ]);
  const there = counted.get(kind)?.();
  if (there === undefined) return;
  // A webhook may be repeated with its id; anything else is sent once, or reported as uncertain.
  const most = kind === 'webhook' ? Number.POSITIVE_INFINITY : 1;
  const least = status === 'delivered' ? 1 : 0;
  const isRefused = status === 'failed' && kind !== 'webhook';
  if (there < least || there > (isRefused ? 0 : most))
    journal.breach('flowDelivery', `${id} of ${runId}, ${kind}: ${status}, and ${there} there`);

  function mails(): number {
    return mailIds.filter((mailId) => mailId.startsWith(`${id}@`)).length;
  }
  function posts(): number {
    return posted.filter(({ deliveryId }) => deliveryId === id).length;
  }
  /** Slack messages contain only the text, so those of a run with an unknown tag cannot be found. */
  function messages(): number | undefined {
    return tag === undefined ? undefined : posted.filter(({ body }) => body.text === flowText(tag)).length;
  }
}
