import { setTimeout as delay } from 'node:timers/promises';
import type { HttpReceiver } from '../support/http-receiver.ts';
import { compareFlows } from './compare-flows.ts';
import { listAll } from './list-all.ts';
import type { LoadContext } from './load/context.ts';
import type { FaultMailServer } from './mail-server.ts';
import type { Data } from './talks.ts';

/** A run of the load's workflow, and what its client was told of it. */
export interface StartedFlow {
  tag: string;
  /** Undefined if its start was never acknowledged. */
  id: string | undefined;
  isCancelAsked: boolean;
}

export interface Flows {
  projectId: string;
  /** In the API, including the workflow's id. */
  path: string;
  started: StartedFlow[];
  /** Where its webhooks and Slack messages go. */
  receiver: HttpReceiver;
}

/** A repeatedly refused mail waits for a quarter of an hour. */
const quietTimeoutMs = 1_200_000;
/** For a run that failed while parts of the stack were down. */
const maxResumes = 5;

/** Waits for every run, resumes failed ones, and compares; returns the deliveries whose mails are theirs. */
export async function finishFlows(
  context: LoadContext,
  mailServer: FaultMailServer,
  report: (line: string) => void,
): Promise<Set<string>> {
  const { flows, journal } = context;
  const startMs = Date.now();
  const runs: Data[] = [];
  for (const { id } of await listAll(context, `${flows.path}/runs`))
    runs.push(await ended(context, String(id), startMs + quietTimeoutMs));
  report(`  runs of workflows came to rest in ${((Date.now() - startMs) / 1_000).toFixed(1)} s`);
  const project = `/v1/projects/${flows.projectId}`;
  const deliveries = await listAll(context, `${flows.path}/deliveries`);
  compareFlows(journal, flows.started, {
    runs,
    deliveries,
    reports: await listAll(context, `${project}/reports`),
    files: await listAll(context, `${project}/files`),
    mailIds: mailServer.messageIds(),
    posted: flows.receiver.received.map(({ headers, body }) => ({
      deliveryId: headers['x-webhook-delivery'] as string | undefined,
      body: JSON.parse(body.toString()) as Data,
    })),
  });
  return new Set(deliveries.map(({ id }) => String(id)));
}

/** The end of a run, resumed for as long as that may help. */
async function ended(context: LoadContext, id: string, deadlineMs: number): Promise<Data> {
  const { client, flows, journal, signal } = context;
  const path = `${flows.path}/runs/${id}`;
  let resumes = 0;
  for (;;) {
    const settled = await client.settle({ kind: 'flow', method: 'GET', path });
    const run: Data = settled.outcome === 'acknowledged' ? settled.answer.body.data : { id };
    const isOver = run.finishedAt != null;
    const mayHelp = run.status === 'failed' && run.error?.code !== 'delivery_uncertain';
    if (isOver && (!mayHelp || resumes >= maxResumes)) return run;
    if (signal.aborted) return run;
    if (Date.now() > deadlineMs) {
      journal.breach('flowStuck', `${id}: ${JSON.stringify(run.steps)}`);
      return run;
    }
    if (isOver) {
      resumes += 1;
      journal.count('runs of workflows', `resumed after ${run.error?.code}`);
      await client.settle({ kind: 'flow resume', method: 'POST', path: `${path}/resume` });
    }
    await delay(500, undefined, { signal }).catch(() => {});
  }
}
