import { beforeAll, expect, test } from 'vitest';
import { projectOf } from '../../../support/conversations.ts';
import { useWorkspace } from '../../../support/workspace.ts';
import { type Lab, look, newLab, type Place, perform, settle, step } from './lab.ts';
import { apply, type Operation, type Rules, shownBy } from './model.ts';
import { inLanes } from './orders.ts';

/** Two concurrent operations have the same result as running them one after the other, in either order. */
const workspace = useWorkspace();
let place: Place;

beforeAll(async () => {
  const client = await workspace.organization();
  place = { organizationId: client.organizationId, projectId: await projectOf(client) };
});

const rounds = 12;

const post = (text: string, onBusy: 'enqueue' | 'reject' | 'interrupt' = 'enqueue'): Operation => ({
  op: 'post',
  text,
  onBusy,
});
const finish: Operation = { op: 'finish', text: 'start' };
const cancel: Operation = { op: 'cancel', text: 'start' };
const advance: Operation = { op: 'advance' };

const answering = [post('start')];
const withOneWaiting = [...answering, post('first')];
const withTwoWaiting = [...withOneWaiting, post('second')];
const isDue = [...withTwoWaiting, finish];
const isHeld = [...withTwoWaiting, cancel];

test.each<[name: string, before: Operation[], one: Operation, other: Operation]>([
  ['a Stop and the end of the reply', withOneWaiting, cancel, finish],
  ['a Stop and the end of the reply, with nothing waiting', answering, cancel, finish],
  ['a Stop and a message', answering, cancel, post('second')],
  ['two first messages', [], post('one'), post('other')],
  ['two first messages, neither of which would wait', [], post('one', 'reject'), post('other', 'reject')],
  ['two messages that wait', answering, post('one'), post('other')],
  ['two messages that interrupt', withOneWaiting, post('one', 'interrupt'), post('other', 'interrupt')],
  ['an edit and the turn of its message', isDue, { op: 'edit', text: 'first' }, advance],
  [
    'an edit of a revision and the turn of its message',
    isDue,
    { op: 'edit', text: 'first', expectedRevision: 1 },
    advance,
  ],
  [
    'two edits of one revision',
    withOneWaiting,
    { op: 'edit', text: 'first', expectedRevision: 1 },
    { op: 'remove', text: 'first', expectedRevision: 1 },
  ],
  ['a removal and the turn of its message', isDue, { op: 'remove', text: 'first' }, advance],
  ['two looks of the process', isDue, advance, advance],
  ['a resume and a message', isHeld, { op: 'resume' }, post('third')],
  ['a resume and a message that interrupts', isHeld, { op: 'resume' }, post('third', 'interrupt')],
  ['a resume and a look of the process', isHeld, { op: 'resume' }, advance],
  ['an interruption and the end of the reply', withOneWaiting, post('now', 'interrupt'), finish],
  ['an interruption and a look of the process', isDue, post('now', 'interrupt'), advance],
  ['an interruption and a Stop', withOneWaiting, post('now', 'interrupt'), cancel],
  ['a deletion and a message', withOneWaiting, { op: 'delete' }, post('late', 'interrupt')],
  ['a deletion and a look of the process', isDue, { op: 'delete' }, advance],
])('%s at once', async (_name, before, one, other) => {
  await inLanes(
    Array.from({ length: rounds }, (_, number) => number),
    async (number) => {
      const lab = await newLab(workspace, place);
      for (const operation of before) await step(workspace, lab, operation);
      // So that neither is always the first to ask.
      const pair = number % 2 === 0 ? [one, other] : [other, one];
      const outcomes = await Promise.all(pair.map((operation) => perform(workspace, lab, operation)));
      const seen = { outcomes, shown: await look(workspace, lab) };
      const [first, second] = [outcome(lab, pair, [0, 1]), outcome(lab, pair, [1, 0])];
      expect([first, second].map(({ rules: _rules, ...rest }) => rest)).toContainEqual(seen);
      const isFirst = JSON.stringify(first.shown) === JSON.stringify(seen.shown);
      lab.rules = (isFirst ? first : second).rules;
      await settle(workspace, lab);
    },
  );
});

/** The result by the rules if the two are done in this order. */
function outcome(lab: Lab, pair: readonly Operation[], order: readonly number[]) {
  const rules: Rules = structuredClone(lab.rules);
  const outcomes: string[] = [];
  for (const index of order) outcomes[index] = apply(rules, pair[index]!);
  return { outcomes, shown: shownBy(rules), rules };
}
