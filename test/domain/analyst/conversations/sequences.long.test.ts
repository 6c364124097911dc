import { test } from 'vitest';
import { allOrders, takeOrders, takeRandom, usePlace } from './sequences.ts';

const used = usePlace();
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));

test('every order of six operations on a conversation that answers one message while another waits', () =>
  takeOrders(used, allOrders));

test(`random sequences, SEED=${seed}`, () => takeRandom(used, seed, 80));
