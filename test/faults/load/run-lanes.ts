import { createRandom } from '../random.ts';
import { instructionsOf, type StartedRun, titleOf } from '../runs.ts';
import { scriptedModel } from '../talk-model.ts';
import type { Lane, LoadContext } from './context.ts';
import { pauseBetween } from './rows-lanes.ts';

/** Starts runs of the load's playbook, some twice with the same key, and cancels some of them. */
export function runLane(context: LoadContext, seed: number, lane: number): Lane {
  const random = createRandom(seed, `runs ${lane}`);
  let count = 0;
  return {
    name: `runs ${lane}`,
    async step() {
      count += 1;
      const run: StartedRun = { tag: `q-0-${lane}-${count}`, id: undefined, isCancelAsked: false };
      const isRepeated = random.chance(0.2);
      const isCancelled = random.chance(0.25);
      const waitMs = random.int(0, 1_500);
      const pauseMs = random.int(1_500, 4_000);
      context.runs.push(run);
      await start(context, run);
      if (isRepeated && run.id !== undefined) await start(context, run);
      if (isCancelled && run.id !== undefined) {
        await pauseBetween(context, waitMs);
        await cancel(context, run);
      }
      await pauseBetween(context, pauseMs);
    },
  };
}

async function start({ client, journal, moments, ...context }: LoadContext, run: StartedRun): Promise<void> {
  const { tag } = run;
  moments.comes('said');
  const settled = await client.settle({
    kind: 'run start',
    method: 'POST',
    path: `${context.playbookPath}/runs`,
    body: { params: { tag } },
    idempotencyKey: `run-${tag}`,
  });
  if (settled.outcome === 'refused')
    journal.breach('unexpected', `run ${tag}: ${JSON.stringify(settled.answer)}`);
  if (settled.outcome !== 'acknowledged') return;
  const id = String(settled.answer.body.data?.['id']);
  if (run.id !== undefined && run.id !== id) journal.breach('runOutput', `${tag} is ${run.id} and ${id}`);
  run.id = id;
}

async function cancel({ client, journal, projectId }: LoadContext, run: StartedRun): Promise<void> {
  run.isCancelAsked = true;
  const settled = await client.settle({
    kind: 'run cancel',
    method: 'POST',
    path: `/v1/projects/${projectId}/runs/${run.id}/cancel?confirm=true`,
  });
  if (settled.outcome === 'refused')
    journal.breach('unexpected', `cancel of ${run.tag}: ${JSON.stringify(settled.answer)}`);
}

/** The playbook that is run, with its one parameter. */
export const faultPlaybook = {
  title: 'Report',
  instructions: instructionsOf('${tag}'),
  parameters: { tag: { type: 'string', required: true } },
  output: { type: 'report', title: titleOf('${tag}') },
  model: scriptedModel,
};
