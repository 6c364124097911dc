import { test } from 'vitest';
import { newLab, settle, step } from './lab.ts';
import { allOrders, takeOrders, takeRandom, usePlace } from './sequences.ts';

const used = usePlace();

test('orders of six operations on a conversation that answers one message while another waits', () =>
  takeOrders(
    used,
    allOrders.filter((_, index) => index % 30 === 0),
  ));

test('random sequences', () => takeRandom(used, 1, 4));

test('fifty messages may wait, and no more', async () => {
  const { workspace, place } = used;
  const lab = await newLab(workspace, place);
  for (let count = 0; count <= 51; count += 1)
    await step(workspace, lab, { op: 'post', text: `m${count}`, onBusy: 'enqueue' });
  await step(workspace, lab, { op: 'remove', text: 'm7' });
  await step(workspace, lab, { op: 'post', text: 'again', onBusy: 'enqueue' });
  await settle(workspace, lab);
});
