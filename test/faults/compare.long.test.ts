import { expect, test } from 'vitest';
import { invariants, type Journal, summary } from './journal.ts';
import { runFaults } from './run.ts';

/** A run that did nothing would satisfy every invariant. */
const loads = [
  'requests append',
  'requests upsert',
  'requests batch complete',
  'requests query',
  'requests message',
  'requests trigger',
];
const acknowledged = (journal: Journal, group: string) =>
  journal.counts().get(group)?.get('acknowledged') ?? 0;

test('nothing acknowledged is lost, doubled, half there or stuck while parts of the stack are killed and paused', async (context) => {
  const lines: string[] = [];
  context.onTestFailed(() => void process.stderr.write(`${lines.join('\n')}\n`));
  const journal = await runFaults({
    rounds: 2,
    seed: 1,
    faultsPerRound: 6,
    longPauses: false,
    keep: false,
    report: (line) => lines.push(line),
    isEnough: (journal) => loads.every((group) => acknowledged(journal, group) > 3),
    signal: context.signal,
  });
  const figures = (Object.keys(invariants) as (keyof typeof invariants)[]).map((name) => [
    name,
    journal.breaches(name),
  ]);
  const nothing = Object.keys(invariants).map((name) => [name, []]);
  expect(figures, summary(journal)).toEqual(nothing);
  expect(journal.counts().get('rounds')?.get('done')).toBe(2);
  for (const group of loads) expect(acknowledged(journal, group), group).toBeGreaterThan(3);
  for (const [group, name] of [
    ['fires', 'succeeded'],
    ['times of cadences', 'succeeded'],
    ['deliveries', 'file delivered'],
    ['deliveries', 'mail delivered'],
    ['runs of workflows', 'succeeded'],
    ['deliveries of workflows', 'webhook delivered'],
    ['snapshots of datasets', 'succeeded'],
    ['readers', 'copies of changes looked through'],
    ['readers', 'copies of whole looked through'],
    ['readers', 'copies of table looked through'],
    ['readers', 'copies of growth looked through'],
    ['readers', 'keyed answers looked through'],
    ['readers', 'slot answers looked through'],
    ['keys', 'refused a second time'],
    ['requests maintenance', 'acknowledged'],
  ] as const)
    expect(journal.counts().get(group)?.get(name) ?? 0, `${group}: ${name}`).toBeGreaterThan(0);
  expect(journal.counts().get('replies')?.get('scripted complete') ?? 0).toBeGreaterThan(3);
}, 2_400_000);
