import type { HttpReceiver } from '../../support/http-receiver.ts';
import type { FaultClient } from '../client.ts';
import type { Flows, StartedFlow } from '../flows.ts';
import { createRandom } from '../random.ts';
import type { Lane, LoadContext } from './context.ts';
import { pauseBetween } from './rows-lanes.ts';

export const flowTitle = (tag: string): string => `Flow ${tag}`;
export const flowFile = (tag: string): string => `flows/${tag}.md`;
export const flowText = (tag: string): string => `Flow ${tag} is there.`;

const node = (id: string, type: string, config: object) => ({ id, type, name: id, config });

/** A branch, a parallel wait, and one of each kind of delivery. */
const graphOf = (receiverUrl: string) => ({
  version: 1,
  parameters: { tag: { type: 'string', required: true } },
  nodes: [
    node('numbers', 'query', { sql: 'SELECT ${params.tag} AS tag, count(*) AS n FROM range(50)' }),
    node('enough', 'condition', { sql: 'SELECT n = 50 FROM input' }),
    node('told', 'report', { title: flowTitle('${params.tag}'), content: 'Of ${numbers.rows}.' }),
    node('later', 'wait', { seconds: 2 }),
    node('kept', 'file_output', { path: '${params.tag}.md' }),
    node('mailed', 'email_delivery', { to: ['flows@example.com'], subject: '${params.tag}' }),
    node('posted', 'webhook_delivery', { url: receiverUrl, secret: 'sixteen characters' }),
    node('said', 'slack_delivery', { webhook_url: receiverUrl, text: flowText('${params.tag}') }),
  ],
  edges: [
    { from: 'numbers.rows', to: 'enough.input' },
    { from: 'enough.yes', to: 'told.start' },
    { from: 'told.report', to: 'kept.input' },
    { from: 'told.report', to: 'mailed.input' },
    { from: 'told.report', to: 'posted.input' },
    { from: 'later.done', to: 'said.start' },
  ],
});

/** An active workflow in its own project. */
export async function prepareFlows(client: FaultClient, receiver: HttpReceiver): Promise<Flows> {
  const create = async (path: string, body: unknown) => {
    const settled = await client.settle({ kind: 'workflow', method: 'POST', path, body });
    if (settled.outcome !== 'acknowledged') throw new Error(`${path}: ${JSON.stringify(settled)}`);
    return settled.answer.body.data ?? {};
  };
  const projectId = String((await create('/v1/projects', { name: 'Flows' }))['id']);
  const { id, revision } = await create('/v1/workflows', {
    project_id: projectId,
    title: 'Flow',
    output_folder: 'flows',
    graph: graphOf(receiver.url),
  });
  const path = `/v1/workflows/${id}`;
  await create(`${path}/activation`, { expected_revision: revision });
  return { projectId, path, started: [], receiver };
}

/** Starts runs of the load's workflow, some twice with the same key, and cancels some of them. */
export function flowLane(context: LoadContext, seed: number, lane: number): Lane {
  const random = createRandom(seed, `flows ${lane}`);
  let count = 0;
  return {
    name: `flows ${lane}`,
    async step() {
      count += 1;
      const flow: StartedFlow = { tag: `f-${lane}-${count}`, id: undefined, isCancelAsked: false };
      const isRepeated = random.chance(0.2);
      const isCancelled = random.chance(0.2);
      const waitMs = random.int(0, 3_000);
      const pauseMs = random.int(500, 2_000);
      context.flows.started.push(flow);
      await start(context, flow);
      if (isRepeated && flow.id !== undefined) await start(context, flow);
      if (isCancelled && flow.id !== undefined) {
        await pauseBetween(context, waitMs);
        await cancel(context, flow);
      }
      await pauseBetween(context, pauseMs);
    },
  };
}

async function start({ client, journal, moments, flows }: LoadContext, flow: StartedFlow): Promise<void> {
  const { tag } = flow;
  moments.comes('firing');
  const settled = await client.settle({
    kind: 'flow start',
    method: 'POST',
    path: `${flows.path}/runs`,
    body: { params: { tag } },
    idempotencyKey: `flow-${tag}`,
  });
  if (settled.outcome === 'refused')
    journal.breach('unexpected', `flow ${tag}: ${JSON.stringify(settled.answer)}`);
  if (settled.outcome !== 'acknowledged') return;
  const id = String(settled.answer.body.data?.['id']);
  if (flow.id !== undefined && flow.id !== id)
    journal.breach('flowDoubled', `${tag} is ${flow.id} and ${id}`);
  flow.id = id;
}

async function cancel({ client, journal, flows }: LoadContext, flow: StartedFlow): Promise<void> {
  flow.isCancelAsked = true;
  const settled = await client.settle({
    kind: 'flow cancel',
    method: 'POST',
    path: `${flows.path}/runs/${flow.id}/cancel?confirm=true`,
  });
  if (settled.outcome === 'refused')
    journal.breach('unexpected', `cancel of ${flow.tag}: ${JSON.stringify(settled.answer)}`);
}
