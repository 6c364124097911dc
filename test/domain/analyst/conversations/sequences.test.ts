import { beforeAll, test } from 'vitest';
import { projectOf } from '../../../support/conversations.ts';
import { useWorkspace } from '../../../support/workspace.ts';
import { newLab, type Place, settle, step, take } from './lab.ts';
import { type Operation, type Rules, waitingOf } from './model.ts';
import { generate, inLanes, permutations, random } from './orders.ts';

/** Sequences of operations, compared with the rules of a conversation written a second time (`model.ts`). */
const workspace = useWorkspace();
let place: Place;

beforeAll(async () => {
  const client = await workspace.organization();
  place = { organizationId: client.organizationId, projectId: await projectOf(client) };
});

const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));

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

test('every order of six operations on a conversation that answers one message while another waits', async () => {
  const seen = new Set<string>();
  await inLanes(permutations(Object.keys(six) as Name[]), async (order) => {
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
});

test(`random sequences, SEED=${seed}`, async () => {
  await inLanes(
    Array.from({ length: 80 }, (_, number) => number),
    async (number) => {
      const pick = random(seed + number);
      const lab = await newLab(workspace, place);
      const done: Operation[] = [];
      try {
        for (let count = 0; count < 40; count += 1) {
          const operation = generate(lab.rules, pick, count);
          done.push(operation);
          await step(workspace, lab, operation);
        }
        await settle(workspace, lab);
      } catch (error) {
        throw new Error(`SEED=${seed}, sequence ${number}: ${JSON.stringify(done)}`, { cause: error });
      }
    },
  );
});

test('fifty messages may wait, and no more', async () => {
  const lab = await newLab(workspace, place);
  for (let count = 0; count <= 51; count += 1)
    await step(workspace, lab, { op: 'post', text: `m${count}`, onBusy: 'enqueue' });
  await step(workspace, lab, { op: 'remove', text: 'm7' });
  await step(workspace, lab, { op: 'post', text: 'again', onBusy: 'enqueue' });
  await settle(workspace, lab);
});
