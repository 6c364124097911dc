import { beforeAll } from 'vitest';
import { projectOf } from '../../../support/conversations.ts';
import { useWorkspace, type Workspace } from '../../../support/workspace.ts';
import { newLab, type Place, settle, step, take } from './lab.ts';
import { type Operation, type Rules, waitingOf } from './model.ts';
import { generate, inLanes, permutations, random } from './orders.ts';

/** A workspace, and where in it the conversations are. */
export function usePlace(): { workspace: Workspace; place: Place } {
  const workspace = useWorkspace();
  const place = {} as Place;
  beforeAll(async () => {
    const client = await workspace.organization();
    const { organizationId } = client;
    Object.assign(place, { organizationId, projectId: await projectOf(client) });
  });
  return { workspace, place };
}

type Used = ReturnType<typeof usePlace>;

/** Each refers to what is in progress or waiting when it is applied. */
const six = {
  finish: ['finish', 'advance'],
  cancel: ['cancel'],
  enqueue: ['enqueue'],
  interrupt: ['interrupt'],
  resume: ['resume', 'advance'],
  remove: ['remove'],
} as const;
type Name = keyof typeof six;

function meant(rules: Rules, name: (typeof six)[Name][number]): Operation {
  const text = rules.turns.at(-1)!.text;
  if (name === 'enqueue' || name === 'interrupt') return { op: 'post', text: name, onBusy: name };
  if (name === 'finish' || name === 'cancel') return { op: name, text };
  if (name === 'remove') return { op: name, text: waitingOf(rules)[0]?.text ?? 'first' };
  return { op: name };
}

/** Every order of six operations. */
export const allOrders = permutations(Object.keys(six) as Name[]);

/** Orders of operations on a conversation that answers one message while another waits. */
export async function takeOrders({ workspace, place }: Used, orders: readonly Name[][]): Promise<void> {
  const seen = new Set<string>();
  await inLanes(orders, async (order) => {
    const lab = await newLab(workspace, place);
    await take(workspace, lab, { op: 'post', text: 'start', onBusy: 'reject' });
    await take(workspace, lab, { op: 'post', text: 'first', onBusy: 'enqueue' });
    for (const [index, name] of order.entries()) {
      // Common prefixes of orders are compared once.
      const begun = order.slice(0, index + 1).join(' ');
      const act = seen.has(begun) ? take : step;
      seen.add(begun);
      for (const part of six[name]) await act(workspace, lab, meant(lab.rules, part));
    }
    await settle(workspace, lab);
  });
}

/** Random sequences of forty operations each, compared with the rules written a second time (`model.ts`). */
export async function takeRandom({ workspace, place }: Used, seed: number, count: number): Promise<void> {
  await inLanes(
    Array.from({ length: count }, (_, number) => number),
    async (number) => {
      const pick = random(seed + number);
      const lab = await newLab(workspace, place);
      const done: Operation[] = [];
      try {
        for (let at = 0; at < 40; at += 1) {
          const operation = generate(lab.rules, pick, at);
          done.push(operation);
          await step(workspace, lab, operation);
        }
        await settle(workspace, lab);
      } catch (error) {
        throw new Error(`SEED=${seed}, sequence ${number}: ${JSON.stringify(done)}`, { cause: error });
      }
    },
  );
}
